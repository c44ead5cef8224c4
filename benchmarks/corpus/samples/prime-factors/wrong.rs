/// Stops one divisor too early, so that squares of primes look like primes.
pub fn factors(number: u64) -> Vec<(u64, u32)> {
    let mut found: Vec<(u64, u32)> = Vec::new();
    let mut left = number;
    let mut candidate = 2;
    while candidate * candidate < left {
        while left % candidate == 0 {
            match found.last_mut() {
                Some((prime, exponent)) if *prime == candidate => *exponent += 1,
                _ => found.push((candidate, 1)),
            }
            left /= candidate;
        }
        candidate += 1;
    }
    if left > 1 {
        found.push((left, 1));
    }
    found
}

/// Returns how many divisors a number has.
pub fn divisors(number: u64) -> u32 {
    factors(number).iter().map(|(_, exponent)| exponent + 1).product()
}
