use std::collections::HashMap;

pub fn frequent_words(text: &str, most: usize) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut word: String = String::new();
    for c in text.chars() {
        if c.is_alphabetic() {
            word.push_str(&c.to_lowercase().to_string());
        } else {
            if word.len() > 0 {
                if counts.contains_key(&word) {
                    let count = counts.get_mut(&word).unwrap();
                    *count = *count + 1;
                } else {
                    counts.insert(word.clone(), 1);
                }
                word = String::new();
            }
        }
    }
    if word.len() > 0 {
        *counts.entry(word.clone()).or_insert(0) += 1;
    }
    let mut list: Vec<(String, usize)> = Vec::new();
    for (key, value) in counts.iter() {
        list.push((key.to_string(), value.clone()));
    }
    list.sort_by(|a, b| if a.1 == b.1 { a.0.cmp(&b.0) } else { b.1.cmp(&a.1) });
    let mut result = Vec::new();
    for i in 0..list.len() {
        if i >= most {
            break;
        }
        result.push(list[i].clone());
    }
    return result;
}
