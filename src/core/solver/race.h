// The penalties of one gamma, served by Krylov spaces.
#ifndef FLEXKERN_SOLVER_RACE_H
#define FLEXKERN_SOLVER_RACE_H

#include <vector>

#include "search.h"

namespace flexkern {

// The penalties from the largest on. Large penalties settle first, so that the settled ones are a
// growing head of the list, and the others are judged by where its risks are going.
class Race {
 public:
  Race(const SearchOptions& options, std::size_t count);

  std::vector<double> open_lambdas(const std::vector<double>& lambdas) const;
  void update(const std::vector<KrylovPath::Estimate>& now, bool last);
  // Closes the race if no open penalty can be expected to win against a risk of `best`.
  void compare(double best);
  // The same by where the risks of the open penalties themselves are going.
  void compare_course(double best);
  // The least that more steps may make of a risk.
  double bound(std::size_t l) const;
  double least() const;

  bool finished() const { return open_.empty(); }
  double risk(std::size_t l) const { return risk_[l]; }
  bool settled(std::size_t l) const { return settled_[l] != 0; }
  // A penalty that was settled by other means.
  void settle(std::size_t l, double risk) {
    risk_[l] = risk;
    settled_[l] = 1;
  }

 private:
  bool is_settled(double move, const KrylovPath::Estimate& now) const;
  bool hopeless(double best) const;

  const SearchOptions& options_;
  bool first_ = true;
  std::vector<std::size_t> open_;
  std::vector<double> risk_, fall_;  // of the last check
  std::vector<char> settled_;
};

// The Krylov spaces of one gamma and the race of its penalties.
class Lane {
 public:
  // The Gram matrix has to hold the gamma while the lane advances.
  Lane(const SearchTask& task, Surface& surface, std::size_t gamma);
  // Steps to the next check of all open penalties, whose estimates go to the surface.
  void advance();
  // Takes over what else has settled on the surface.
  void take_settled();
  void compare(double best) { race_.compare(best); }
  void compare_course(double best) { race_.compare_course(best); }
  double bound(std::size_t l) const { return race_.bound(l); }
  void release() { path_.release(); }

  std::size_t gamma() const { return gamma_; }
  bool finished() const { return race_.finished(); }
  index_t steps() const { return path_.steps(); }
  index_t next_check() const { return check_; }
  double least() const { return race_.least(); }
  // The least risk of a settled penalty.
  double least_settled() const;

 private:
  const SearchTask& task_;
  Surface& surface_;
  std::size_t gamma_;
  KrylovPath path_;
  Race race_;
  index_t check_ = 4;
};

}  // namespace flexkern

#endif
