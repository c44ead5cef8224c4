use std::collections::HashMap;

pub struct Ledger {
    balances: HashMap<String, u64>,
}

impl Ledger {
    pub fn new() -> Self {
        Ledger { balances: HashMap::new() }
    }

    pub fn deposit(&mut self, name: &str, cents: u64) {
        *self.balances.entry(name.to_string()).or_insert(0) += cents;
    }

    pub fn transfer(&mut self, from: &str, to: &str, cents: u64) -> Result<(), String> {
        let source = self.balances.entry(from.to_string()).or_insert(0);
        let target = self.balances.entry(to.to_string()).or_insert(0);
        if *source < cents {
            return Err("insufficient funds".to_string());
        }
        *source -= cents;
        *target += cents;
        Ok(())
    }

    pub fn balance(&self, name: &str) -> u64 {
        self.balances.get(name).copied().unwrap_or(0)
    }

    pub fn total(&self) -> u64 {
        self.balances.values().sum()
    }
}
