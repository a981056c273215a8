#include <algorithm>

#include "cell.h"

namespace flexkern {
namespace {

// The final solve: blocks of conjugate gradients, the preconditioner, vectors in double precision;
// and the points, packed and as they are.
double solve_bytes(double rows, double systems, double columns) {
  return rows * (systems * (8 * 4 + 6 * 8) + 4 * 320 * 4 + 3 * 8 * columns);
}

// Machines by the dual: the matrix by rows, twice where many gammas are looked at; as much again
// for the matrices of active coefficients; and a handful of vectors per problem.
double dual_bytes(index_t n, double systems, bool many_gammas, const Device& device) {
  const double gram = device.gram_bytes(n) / 2;
  return (many_gammas ? 3 : 2) * gram + 200 * static_cast<double>(n) * systems;
}

double search_bytes(double rows, double systems, double responses, double gammas) {
  // Each gamma's lane holds five blocks and a short basis; one lane at a time has a long basis.
  return rows * 4 * (gammas * (5 * systems + 32 * responses) + 1.5 * 400 * responses);
}

}  // namespace

double cell_bytes(index_t n, index_t d, index_t responses, const CellOptions& options,
                  const Device& device, bool factors) {
  const double rows = static_cast<double>(n), columns = static_cast<double>(responses);
  const double folds = std::max(options.folds, 1), systems = columns * folds;
  if (!options.losses.empty()) {
    const double search = dual_bytes(std::min(n, options.search_rows), systems, true, device);
    return std::max(search, dual_bytes(n, systems, false, device));
  }
  const double solve = solve_bytes(rows, systems, static_cast<double>(d));
  if (n > options.search_rows) {
    const double search = cell_bytes(options.search_rows, d, responses, options, device, factors);
    return std::max(search, std::min(options.gram_bytes, device.compact_gram_bytes(n)) + solve);
  }
  const double gammas =
      static_cast<double>(options.gammas.empty() ? std::size_t{10} : options.gammas.size());
  const double search = search_bytes(rows, systems, columns, gammas);
  return device.gram_bytes(n) + std::max(search, solve) + (factors ? 4 * rows * rows * folds : 0);
}

double margin_bytes(index_t n, index_t d, index_t responses, const CellOptions& options,
                    const Device& device, bool factors) {
  const double rows = static_cast<double>(n);
  const double folds = options.average ? std::max(options.folds, 1) : 1;
  if (!options.losses.empty())
    return dual_bytes(n, static_cast<double>(responses) * folds, false, device);
  const double solve =
      solve_bytes(rows, static_cast<double>(responses) * folds, static_cast<double>(d));
  const double gram = std::min(options.gram_bytes, device.compact_gram_bytes(n));
  return gram + solve + (factors && n <= options.search_rows ? 4 * rows * rows * folds : 0);
}

}  // namespace flexkern
