//! Layers of networks, and how they learn.

use super::{Steps, wide};
use crate::examples::adam::Adam;
use crate::examples::attention::{self, Attention};
use crate::examples::layernorm::Layer;
use crate::examples::mlp::{self, Network};
use crate::examples::softmax;
use crate::oracles::{self, Float};
use crate::workload::Workload;

/// `n` rows through softmax, again and again.
pub(crate) fn softmax<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || softmax::rows::<T>(n),
        |x| *x = softmax::softmax(x),
        |x| wide([x]),
        move |iterations| oracles::softmax(softmax::rows::<T>(n).to_vec(), 4 * n, iterations),
    )
}

/// `n` rows through a layer, again and again.
pub(crate) fn layernorm<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || Layer::<T>::new(n),
        |(x, layer)| *x = layer.apply(x),
        |(x, _)| wide([x]),
        move |iterations| {
            let (x, Layer { scale, shift }) = Layer::<T>::new(n);
            oracles::layernorm(x.to_vec(), &scale.to_vec(), &shift.to_vec(), iterations)
        },
    )
}

/// Sequences of `n` tokens through attention, again and again.
pub(crate) fn attention<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || Attention::<T>::new(n),
        |(x, attention)| *x = attention.apply(x),
        |(x, _)| wide([x]),
        move |iterations| {
            let (x, Attention { queries, keys, values }) = Attention::<T>::new(n);
            let matrices = [queries, keys, values].map(|matrix| matrix.to_vec());
            let [_, heads, width] = attention::SIZES;
            oracles::attention(x.to_vec(), &matrices, [heads, n, width], iterations)
        },
    )
}

/// A network that learns `n` samples.
pub(crate) fn mlp<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || (Network::<T>::random(), mlp::samples(n)),
        |(network, (x, y))| network.step(x, y),
        |(network, _)| {
            let Network { w1, b1, w2, b2, loss } = network;
            wide([w1, b1, w2, b2, loss])
        },
        move |iterations| {
            let (x, y) = mlp::samples::<T>(n);
            let Network { w1, w2, .. } = Network::<T>::random();
            let weights = [w1, w2].map(|weights| weights.to_vec());
            oracles::mlp((&x.to_vec(), &y.to_vec()), weights, mlp::SIZES, iterations)
        },
    )
}

/// Ten arrays of parameters of layers of `n` units.
pub(crate) fn adam<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || Adam::<T>::new(n),
        Adam::step,
        |adam| adam.parameters.iter().map(|p| p.cast()).collect(),
        move |iterations| {
            let Adam { parameters, gradients, .. } = Adam::<T>::new(n);
            let pairs = parameters.iter().zip(&gradients);
            pairs.map(|(p, g)| oracles::adam(p.to_vec(), &g.to_vec(), iterations)).collect()
        },
    )
}
