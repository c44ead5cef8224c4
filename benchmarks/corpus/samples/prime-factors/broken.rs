/// rustc refuses this one late: the table is read out of its bounds.
const SMALL: [u64; 4] = [2, 3, 5, 7];

pub fn factors(number: u64) -> Vec<(u64, u32)> {
    let mut found = Vec::new();
    let mut left = number;
    for prime in SMALL {
        let mut exponent = 0;
        while left > 0 && left % prime == 0 {
            left /= prime;
            exponent += 1;
        }
        if exponent > 0 {
            found.push((prime, exponent));
        }
    }
    let mut candidate = SMALL[4];
    while candidate * candidate <= left {
        while left % candidate == 0 {
            left /= candidate;
            found.push((candidate, 1));
        }
        candidate += 2;
    }
    if left > 1 {
        found.push((left, 1));
    }
    found
}
