//! A graph is launched by one thread at a time: a shared one cannot be.

use cust::graph::Graph;
use cust::stream::Stream;

fn shared<T: Sync>() {}

fn launched(graph: &Graph, stream: &Stream) {
    let _ = graph.launch(stream);
}

fn main() {
    shared::<Graph>();
    let _ = launched;
}
