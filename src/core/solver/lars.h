// The paths of least angle regression and of the lasso (Efron, Hastie, Johnstone and Tibshirani
// 2004, section 3), and greedy pursuits over the same dictionary.
#ifndef FLEXKERN_SOLVER_LARS_H
#define FLEXKERN_SOLVER_LARS_H

#include <memory>

#include "correlations.h"
#include "path.h"

namespace flexkern {

// The path of one response (its mean taken away) over the dictionary of the cache. All that is
// handed over is to stay where it is.
std::unique_ptr<Follower> make_follower(GramCache& cache, const std::vector<double>& response,
                                        const PathOptions& options, const HeldOut* held,
                                        Context& context);
Path follow_path(GramCache& cache, const std::vector<double>& response, const PathOptions& options,
                 const HeldOut* held, Context& context);

// What make_follower() makes.
std::unique_ptr<Follower> make_lars(GramCache& cache, const std::vector<double>& response,
                                    const PathOptions& options, const HeldOut* held,
                                    Context& context);
std::unique_ptr<Follower> make_pursuit(Sources& sources, const std::vector<double>& response,
                                       const PathOptions& options, const HeldOut* held,
                                       Context& context);

// A column enters a factor if this share of its squared length lies outside the span.
constexpr double kDependent = 1e-10;

}  // namespace flexkern

#endif
