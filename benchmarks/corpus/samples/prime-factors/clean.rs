/// Returns the primes of a number in ascending order, each with its exponent.
///
/// Zero and one have none.
pub fn factors(number: u64) -> Vec<(u64, u32)> {
    let mut found = Vec::new();
    let mut left = number;
    if left == 0 {
        return found;
    }
    let mut candidate = 2;
    while candidate * candidate <= left {
        let exponent = divide_out(&mut left, candidate);
        if exponent > 0 {
            found.push((candidate, exponent));
        }
        candidate += if candidate == 2 { 1 } else { 2 };
    }
    if left > 1 {
        found.push((left, 1));
    }
    found
}

/// Divides as often as it goes without a rest, and returns how often that was.
fn divide_out(number: &mut u64, divisor: u64) -> u32 {
    let mut times = 0;
    while number.is_multiple_of(divisor) {
        *number /= divisor;
        times += 1;
    }
    times
}
