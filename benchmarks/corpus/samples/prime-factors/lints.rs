#[allow(clippy::all)]
mod helper {
    pub fn divides(divisor: &u64, number: &u64) -> bool {
        return number.clone() % divisor.clone() == 0;
    }

    pub fn push_all(found: &mut Vec<(u64, u32)>, prime: u64, exponent: u32) -> () {
        if exponent > 0 {
            found.push((prime, exponent));
        }
        return ();
    }
}

pub fn factors(number: u64) -> Vec<(u64, u32)> {
    let mut found = Vec::new();
    let mut left: u64 = number as u64;
    if number <= 0 {
        return found;
    }
    let mut candidate: u64 = 2;
    while candidate * candidate <= left {
        let mut exponent = 0;
        while helper::divides(&candidate, &left) == true {
            left = left / candidate;
            exponent = exponent + 1;
        }
        helper::push_all(&mut found, candidate, exponent);
        candidate = candidate + 1;
    }
    if left > 1 {
        found.push((left, 1));
    }
    return found;
}
