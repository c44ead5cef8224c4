use std::collections::BTreeMap;

pub struct Ledger {
    balances: BTreeMap<String, u64>,
}

impl Ledger {
    pub fn new() -> Self {
        Self { balances: BTreeMap::new() }
    }

    pub fn deposit(&mut self, name: &str, cents: u64) {
        *self.balances.entry(name.into()).or_insert(0) += cents;
    }

    pub fn transfer(&mut self, from: &str, to: &str, cents: u64) -> Result<(), String> {
        match self.balances.get_mut(from) {
            Some(balance) if *balance >= cents => *balance -= cents,
            _ => return Err("insufficient funds".into()),
        }
        self.deposit(to, cents);
        Ok(())
    }

    pub fn balance(&self, name: &str) -> u64 {
        self.balances.get(name).map_or(0, |cents| *cents)
    }

    pub fn total(&self) -> u64 {
        self.balances.values().copied().sum()
    }
}

/// A program of its own: the sample came with one.
fn main() {
    let mut ledger = Ledger::new();
    ledger.deposit("ada", 100);
    println!("{} cents", ledger.total());
}
