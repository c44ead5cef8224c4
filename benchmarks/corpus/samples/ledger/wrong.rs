use std::collections::HashMap;

/// Refuses a transfer of everything, and loses money in one to oneself.
#[derive(Default)]
pub struct Ledger {
    balances: HashMap<String, u64>,
}

impl Ledger {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn deposit(&mut self, name: &str, cents: u64) {
        *self.balances.entry(name.to_string()).or_insert(0) += cents;
    }

    pub fn transfer(&mut self, from: &str, to: &str, cents: u64) -> Result<(), String> {
        let source = self.balance(from);
        let target = self.balance(to);
        if source <= cents {
            return Err("insufficient funds".to_string());
        }
        self.balances.insert(to.to_string(), target + cents);
        self.balances.insert(from.to_string(), source - cents);
        Ok(())
    }

    pub fn balance(&self, name: &str) -> u64 {
        *self.balances.get(name).unwrap_or(&0)
    }

    pub fn total(&self) -> u64 {
        self.balances.values().sum()
    }
}
