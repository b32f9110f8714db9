// The arithmetic of failure: how often a job of many nodes is hit, what checkpoints save, how many spares do.
//
// Failures are taken as exponential and independent, so that N nodes of r failures a second each have M = 1/(N r).
// All times are seconds; every function wants its arguments positive and finite unless it says so.
#pragma once

#include <cstdint>

namespace muster::scheduler {

// Mean time between failures of a job. `rate`: failures a node and second.
double job_mtbf(double nodes, double rate);

// Useful work between checkpoints of `write` seconds: Young 1974, sqrt(2 C M).
double young_interval(double write, double mtbf);

// Daly 2006: the higher-order estimate for C < 2 M, else M.
double daly_interval(double write, double mtbf);

// The one that loses least: M (1 + W0(-exp(-1 - C/M))), Lambert's W, found as the root of its equation.
double best_interval(double write, double mtbf);

// Useful work over wall time with checkpoints every `interval`: its inverse is M e^(R/M) (e^((t+C)/M) - 1) / t.
double useful_ratio(double interval, double write, double restart, double mtbf);

// Meta's approximation for small losses (arXiv 2410.21680): the interval sqrt(2 w / (N r)), and
// (1 - N r (u0 + dt/2)) / (1 + w/dt). It holds while `lost_share` is at most 0.3.
double small_loss_interval(double write, double mtbf);
double small_loss_ratio(double interval, double write, double restart, double mtbf);
double lost_share(double interval, double restart, double mtbf);  // N r (u0 + dt/2)

// NVIDIA's period with the save in it that is up most (arXiv 2410.18124): Ts + sqrt(2 (Tf + Tr) Ts + Ts^2), with
// Tf the mean time between failures.
double availability_period(double write, double restart, double mtbf);

// The probability of at most k events where `mean` are expected (0 is allowed): Poisson.
double poisson_at_most(std::int64_t k, double mean);

// The fewest spares that are enough with at least this probability (below 1) where `in_repair` nodes are
// away on average. -1: more than 10^9 would be away.
std::int64_t spares(double in_repair, double probability);

// Two gangs of n pods bound one by one in random order to `slots` places, n <= slots < 2 n, and nothing given
// back: the probability that neither is complete when all places are taken, 1 - 2 C(n, s-n) / C(2n, s).
double deadlock_probability(std::int64_t gang, std::int64_t slots);

}  // namespace muster::scheduler
