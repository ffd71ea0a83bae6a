//! Chance with a seed, so that what a test did can be done again.

pub struct Random(u64);

impl Random {
    /// The same seed, the same chance.
    pub fn seeded(seed: u64) -> Random {
        assert!(seed != 0, "nothing comes of 0 but 0");
        let mut random = Random(seed);
        // Seeds that are alike part ways.
        for _ in 0..10 {
            random.any();
        }
        random
    }

    /// Any number but 0.
    pub fn any(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.any() % limit
    }

    /// From one to another, both in.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below(most.abs_diff(least) + 1) as i64
    }

    /// Whether something happens that does once in so many times.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len() as u64) as usize]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    pub fn bytes(&mut self, length: u64) -> Vec<u8> {
        (0..length).map(|_| self.below(256) as u8).collect()
    }
}
