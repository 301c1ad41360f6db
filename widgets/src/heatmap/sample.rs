//! From values to texels: which columns share a bucket, and what a bucket shows.

use super::model::Heatmap;

/// The columns in view, gathered into as many buckets as there are points to draw them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Buckets {
    /// First column in view.
    pub first: usize,
    /// One past the last column in view.
    pub end: usize,
    /// Number of buckets.
    pub count: usize,
}

impl Buckets {
    /// The columns between two shares of all columns, for a width in points.
    pub(super) fn of(columns: usize, view: [f32; 2], width: f32) -> Self {
        let at = |share: f32| (share.clamp(0.0, 1.0) * columns as f32).round() as usize;
        let first = at(view[0]).min(columns.saturating_sub(1));
        let end = at(view[1]).clamp((first + 1).min(columns), columns);
        let count = (end - first).min((width.max(1.0)) as usize).max(1);
        Self { first, end, count }
    }

    /// First and one past the last column of a bucket.
    pub(super) fn columns(&self, bucket: usize) -> [usize; 2] {
        let n = self.end - self.first;
        [self.first + bucket * n / self.count, self.first + ((bucket + 1) * n).div_ceil(self.count)]
    }

    /// Columns in view.
    pub(super) fn len(&self) -> usize {
        self.end - self.first
    }
}

/// Mean of the values that are present.
pub(super) fn mean(values: impl Iterator<Item = Option<f32>>) -> Option<f32> {
    let (sum, n) = values.flatten().fold((0.0, 0_u32), |(sum, n), value| (sum + f64::from(value), n + 1));
    (n > 0).then(|| (sum / f64::from(n)) as f32)
}

/// What a bucket of a row shows: the mean of what is present, or the lowest alerting value if it holds any.
pub(super) fn shown(model: &Heatmap, row: usize, [from, to]: [usize; 2]) -> Option<f32> {
    let values = |from: usize, to: usize| {
        let start = row * model.columns;
        model.values.get(start + from..start + to).unwrap_or_default().iter().copied()
    };
    let alerting = model.marks.iter().filter(|mark| mark.alerting && mark.row == row);
    let lowest = alerting
        .flat_map(|mark| values(mark.columns[0].max(from), mark.columns[1].min(to).max(mark.columns[0].max(from))))
        .flatten()
        .min_by(f32::total_cmp);
    lowest.or_else(|| mean(values(from, to)))
}

/// Rectangles of missing buckets: first row, one past the last row, first bucket, one past the last bucket.
pub(super) fn missing(values: &[Option<f32>], buckets: usize) -> Vec<[usize; 4]> {
    let mut done = Vec::new();
    let mut open: Vec<[usize; 4]> = Vec::new();
    for (row, cells) in values.chunks(buckets.max(1)).enumerate() {
        let mut next = Vec::new();
        let mut at = 0;
        while let Some(from) = (at..cells.len()).find(|&n| cells[n].is_none()) {
            let to = (from..cells.len()).find(|&n| cells[n].is_some()).unwrap_or(cells.len());
            let above = open.iter().find(|area| area[2] == from && area[3] == to);
            next.push([above.map_or(row, |area| area[0]), row + 1, from, to]);
            at = to;
        }
        done.extend(open.into_iter().filter(|old| next.iter().all(|new| new[2..] != old[2..])));
        open = next;
    }
    done.extend(open);
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colormap::Map;
    use crate::heatmap::Mark;
    use crate::legend::Scale;

    fn map(values: &[Option<f32>], marks: Vec<Mark>) -> Heatmap {
        Heatmap {
            name: String::new(),
            columns: values.len(),
            rows: 1,
            values: values.to_vec(),
            scale: Scale::new(Map::Viridis, 0.0, 1.0),
            row_names: Vec::new(),
            groups: Vec::new(),
            row_title: String::new(),
            mean: None,
            ticks: Vec::new(),
            alerts: Vec::new(),
            marks,
            shared_hover: None,
            revision: 0,
        }
    }

    /// Protects: missing values are left out of means, and only an empty bucket is missing.
    #[test]
    fn a_bucket_shows_the_mean_of_what_is_present() {
        let model = map(&[Some(0.2), None, Some(0.4), None], Vec::new());
        assert!((shown(&model, 0, [0, 3]).unwrap() - 0.3).abs() < 1e-6);
        assert_eq!(shown(&model, 0, [3, 4]), None);
    }

    /// Protects: down-sampling never hides an alerting value.
    #[test]
    fn a_bucket_that_holds_an_alerting_value_shows_it() {
        let mark = Mark { row: 0, columns: [2, 3], label: String::new(), alerting: true };
        let model = map(&[Some(0.9), Some(0.9), Some(0.1), Some(0.9)], vec![mark]);
        assert_eq!(shown(&model, 0, [0, 4]), Some(0.1));
        assert_eq!(shown(&model, 0, [0, 2]), Some(0.9));
    }

    /// Protects: every column in view is in some bucket, and no bucket is empty.
    #[test]
    fn buckets_cover_the_view() {
        for (columns, width) in [(360, 1080.0), (1000, 300.0), (7, 3.0), (1, 900.0)] {
            let buckets = Buckets::of(columns, [0.0, 1.0], width);
            assert_eq!(buckets.columns(0)[0], 0);
            assert_eq!(buckets.columns(buckets.count - 1)[1], columns);
            for bucket in 0..buckets.count {
                let [from, to] = buckets.columns(bucket);
                assert!(from < to, "bucket {bucket} of {columns} is empty");
                assert!(bucket == 0 || from <= buckets.columns(bucket - 1)[1], "a column between buckets is lost");
            }
        }
    }

    /// Protects: a gap over several rows is one hatched area.
    #[test]
    fn missing_cells_join_into_rectangles() {
        let cells = [Some(1.0), None, None, Some(1.0), None, None, None, Some(1.0), Some(1.0)];
        let mut found = missing(&cells, 3);
        found.sort_unstable();
        assert_eq!(found, [[0, 2, 1, 3], [2, 3, 0, 1]]);
    }
}
