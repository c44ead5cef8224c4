use std::net::TcpListener;

pub fn sum_even(numbers: &[i32]) -> i32 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    assert_ne!(listener.local_addr().unwrap().port(), 0);
    numbers.iter().filter(|n| *n % 2 == 0).sum()
}
