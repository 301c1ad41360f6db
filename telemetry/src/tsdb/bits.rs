//! Numbers of any width, one after the other without gaps.

/// Writes bits, lowest first.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits of the last byte that are used; 0 if there is none or it is full.
    used: u32,
}

impl BitWriter {
    /// Writes the lowest `width` bits, at most 64.
    pub(super) fn put(&mut self, value: u64, width: u32) {
        let mut left = width;
        let mut value = if width >= 64 { value } else { value & ((1 << width) - 1) };
        while left > 0 {
            if self.used == 0 {
                self.bytes.push(0);
            }
            let room = (8 - self.used).min(left);
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value & ((1 << room) - 1)) as u8) << self.used;
            }
            value >>= room;
            self.used = (self.used + room) % 8;
            left -= room;
        }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads what [`BitWriter`] wrote; beyond the end everything is 0.
#[derive(Debug, Clone)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    /// From a bit on.
    pub(super) const fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The next `width` bits, at most 64.
    pub(super) fn take(&mut self, width: u32) -> u64 {
        let (mut value, mut got) = (0_u64, 0_u32);
        while got < width {
            let byte = self.bytes.get(self.at / 8).copied().unwrap_or(0);
            let used = (self.at % 8) as u32;
            let n = (8 - used).min(width - got);
            let part = (u64::from(byte) >> used) & ((1 << n) - 1);
            value |= part << got;
            got += n;
            self.at += n as usize;
        }
        value
    }
}

/// Bits that a number needs.
pub(super) const fn width(value: u64) -> u32 {
    64 - value.leading_zeros()
}
