use std::collections::HashMap;

pub struct Ledger {
    balances: HashMap<String, u64>,
}

impl Ledger {
    pub fn new() -> Ledger {
        return Ledger { balances: HashMap::new() };
    }

    pub fn deposit(&mut self, name: &str, cents: u64) {
        if !self.balances.contains_key(name) {
            self.balances.insert(name.to_string(), 0);
        }
        let old = self.balances.get(name).unwrap().clone();
        self.balances.insert(name.to_string(), old + cents as u64);
    }

    pub fn transfer(&mut self, from: &str, to: &str, cents: u64) -> Result<(), String> {
        let available = self.balance(&from);
        if available < cents {
            return Err(format!("insufficient funds"));
        }
        match self.balances.get_mut(from) {
            Some(balance) => {
                *balance = *balance - cents;
            }
            None => (),
        }
        self.deposit(to, cents);
        return Ok(());
    }

    pub fn balance(&self, name: &str) -> u64 {
        match self.balances.get(name) {
            Some(balance) => *balance,
            None => 0,
        }
    }

    pub fn total(&self) -> u64 {
        let mut sum = 0;
        for (_, balance) in &self.balances {
            sum += balance;
        }
        sum
    }
}
