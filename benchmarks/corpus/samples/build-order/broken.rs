use std::collections::BTreeSet;

struct Graph {
    needs: Vec<BTreeSet<usize>>,
}

impl Graph {
    fn new(count: usize, needs: &[(usize, usize)]) -> Self {
        let mut graph = Graph { needs: vec![BTreeSet::new(); count] };
        for (who, what) in needs {
            graph.add(*who, *what);
        }
        graph
    }

    fn ready(&self) -> &usize {
        let found = (0..self.needs.len()).find(|one| self.needs[*one].is_empty());
        &found.unwrap()
    }
}

pub fn build_order(count: usize, needs: &[(usize, usize)]) -> Option<Vec<usize>> {
    let graph = Graph::new(count, needs);
    let mut order = Vec::new();
    while order.len() < count {
        let next = graph.ready();
        order.push(*next);
    }
    Some(order)
}
