/// Numbers that look random and are the same in every run (Knuth's MMIX generator).
pub struct Dice(u64);

impl Dice {
    pub fn new() -> Dice {
        Dice(1)
    }

    pub fn below(&mut self, end: usize) -> usize {
        const FACTOR: u64 = 6_364_136_223_846_793_005;
        const STEP: u64 = 1_442_695_040_888_963_407;
        self.0 = self.0.wrapping_mul(FACTOR).wrapping_add(STEP);
        (self.0 >> 33) as usize % end
    }
}
