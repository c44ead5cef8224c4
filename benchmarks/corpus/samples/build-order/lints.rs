pub fn build_order(count: usize, needs: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = Vec::new();
    let mut done: Vec<bool> = Vec::new();
    done.resize(count, false);
    while order.len() < count {
        let mut next: Option<usize> = None;
        for i in 0..done.len() {
            if done[i] == true {
                continue;
            }
            let mut free = true;
            for j in 0..needs.len() {
                if needs[j].0 == i {
                    if done[needs[j].1] == false {
                        free = false;
                    }
                }
            }
            if free {
                next = Some(i);
                break;
            }
        }
        if next.is_none() {
            return None;
        }
        match next {
            Some(chosen) => {
                done[chosen] = true;
                order.push(chosen.clone());
            }
            _ => {}
        }
    }
    return Some(order);
}
