#include "krylov.h"

#include <cmath>

#include "core/base/parallel.h"
#include "tridiagonal.h"

namespace flexkern {

// What is smaller than this share of the operator is rounding error of single precision.
constexpr double kNoise = 1e-7;

KrylovPath::KrylovPath(const FoldPlan& plan, ConstMatrixRef responses, GramMatrix& gram,
                       const Micro& micro, int threads, Context& context)
    : plan_(plan),
      responses_(responses),
      gram_(gram),
      micro_(micro),
      threads_(threads),
      context_(context) {
  for (std::size_t f = 0; f < plan.folds.size(); ++f) {
    for (index_t i : plan.folds[f].held_out)
      validation_weight_ += plan.weights[static_cast<std::size_t>(i)];
    for (index_t c = 0; c < responses.cols(); ++c) {
      spaces_.emplace_back();
      spaces_.back().system = {static_cast<int>(f), static_cast<int>(c)};
    }
  }
  const index_t block = plan.stride * static_cast<index_t>(spaces_.size());
  storage_ = Buffer<float>(3 * block);
  in_ = Buffer<float>(block);
  out_ = Buffer<float>(block);
  for (std::size_t s = 0; s < spaces_.size(); ++s) {
    start(spaces_[s], responses, storage_.data() + 3 * plan.stride * static_cast<index_t>(s));
    if (spaces_[s].norm > 0) active_.push_back(s);
  }
}

void KrylovPath::start(Space& space, ConstMatrixRef responses, float* storage) {
  space.q = storage;
  space.previous = storage + plan_.stride;
  space.next = storage + 2 * plan_.stride;
  std::fill_n(storage, 3 * plan_.stride, 0.0f);
  const Fold& fold = plan_.folds[static_cast<std::size_t>(space.system.fold)];
  double sum = 0;
  for (index_t i = 0; i < plan_.n; ++i) {
    const double b = fold.mask[i] * responses(i, space.system.response);
    sum += b * b;
    space.q[i] = static_cast<float>(b);
  }
  space.norm = std::sqrt(sum);
  if (space.norm == 0) return;
  for (index_t i = 0; i < plan_.n; ++i) space.q[i] = static_cast<float>(space.q[i] / space.norm);
}

void KrylovPath::step() {
  const index_t stride = plan_.stride;
  const index_t count = static_cast<index_t>(active_.size());
  const auto space_of = [&](index_t a) -> Space& {
    return spaces_[active_[static_cast<std::size_t>(a)]];
  };
  const int threads = stride * count < kSerialBlock ? 1 : threads_;
  parallel_for(count, threads, context_, [&](index_t a, int) {
    const Space& space = space_of(a);
    const float* mask = plan_.folds[static_cast<std::size_t>(space.system.fold)].mask.data();
    float* in = in_.data() + a * stride;
    for (index_t i = 0; i < stride; ++i) in[i] = mask[i] * space.q[i];
  });
  gram_.multiply(in_.data(), count, out_.data());
  parallel_for(count, threads, context_,
               [&](index_t a, int) { extend(space_of(a), out_.data() + a * stride); });
  ++steps_;
  std::vector<std::size_t> left;
  for (std::size_t s : active_)
    if (spaces_[s].beta.back() > 0) left.push_back(s);
  active_.swap(left);
}

// The three-term recurrence: beta_{j+1} q_{j+1} = S K S q_j - alpha_j q_j - beta_j q_{j-1}.
void KrylovPath::extend(Space& space, const float* product) {
  const Fold& fold = plan_.folds[static_cast<std::size_t>(space.system.fold)];
  const index_t stride = plan_.stride;
  store_held_out(space, product);
  const double alpha = micro_.mask_dot(stride, fold.mask.data(), product, space.q, space.next);
  const double last = space.beta.empty() ? 0 : space.beta.back();
  double beta =
      std::sqrt(micro_.orthogonalise(stride, static_cast<float>(alpha), space.q,
                                     static_cast<float>(last), space.previous, space.next));
  space.alpha.push_back(alpha);
  space.scale = std::max(space.scale, std::fabs(alpha) + last + beta);
  const bool full = static_cast<double>(space.alpha.size()) >= fold.size;
  if (full || !(beta > kNoise * space.scale)) beta = 0;  // an invariant subspace up to rounding
  space.beta.push_back(beta);
  if (beta == 0) return;
  const float scale = static_cast<float>(1 / beta);
  for (index_t i = 0; i < stride; ++i) space.next[i] *= scale;
  std::swap(space.previous, space.q);
  std::swap(space.q, space.next);
}

void KrylovPath::store_held_out(Space& space, const float* product) {
  const auto& rows = plan_.folds[static_cast<std::size_t>(space.system.fold)].held_out;
  const index_t count = static_cast<index_t>(rows.size());
  const index_t panels = round_up(count, kPanel) / kPanel;
  const index_t t = static_cast<index_t>(space.alpha.size());
  if (t == space.capacity) {
    const index_t capacity = std::max<index_t>(32, t + t / 2);
    Buffer<float> grown(panels * capacity * kPanel);
    for (index_t p = 0; p < panels; ++p)
      std::copy_n(space.held_out.data() + p * t * kPanel, t * kPanel,
                  grown.data() + p * capacity * kPanel);
    space.held_out = std::move(grown);
    space.capacity = capacity;
  }
  for (index_t p = 0; p < panels; ++p) {
    float* out = space.held_out.data() + (p * space.capacity + t) * kPanel;
    for (index_t r = 0; r < kPanel; ++r) {
      const index_t i = p * kPanel + r;
      out[r] = i < count ? product[rows[static_cast<std::size_t>(i)]] : 0.0f;
    }
  }
}

void KrylovPath::release() {
  spaces_.clear();
  active_.clear();
  for (Buffer<float>* buffer : {&storage_, &in_, &out_}) *buffer = Buffer<float>();
}

std::vector<KrylovPath::Estimate> KrylovPath::evaluate(const std::vector<double>& lambdas,
                                                       const Clip& clip) const {
  const std::size_t count = lambdas.size();
  std::vector<Estimate> parts(spaces_.size() * count, Estimate{0, 0});
  parallel_for(static_cast<index_t>(spaces_.size()), threads_, context_, [&](index_t s, int) {
    const std::size_t at = static_cast<std::size_t>(s);
    evaluate(spaces_[at], lambdas, clip, parts.data() + at * count);
  });
  std::vector<Estimate> total(count, Estimate{0, 0});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    total[i % count].risk += parts[i].risk;
    total[i % count].residual = std::max(total[i % count].residual, parts[i].residual);
  }
  const double weight = validation_weight_ * static_cast<double>(responses_.cols());
  for (Estimate& e : total) e.risk /= weight;
  return total;
}

void KrylovPath::evaluate(const Space& space, const std::vector<double>& lambdas, const Clip& clip,
                          Estimate* out) const {
  const Fold& fold = plan_.folds[static_cast<std::size_t>(space.system.fold)];
  const index_t t = static_cast<index_t>(space.alpha.size());
  const index_t count = static_cast<index_t>(lambdas.size()), width = micro_.cols_f32;
  const index_t groups = round_up(count, width) / width;
  // The coefficients of all penalties, packed as the right factor of a product with the stored
  // basis.
  Buffer<float> packed(groups * width * std::max<index_t>(t, 1));
  std::fill_n(packed.data(), packed.size(), 0.0f);
  std::vector<double> z(static_cast<std::size_t>(t));
  for (index_t l = 0; l < count && t > 0; ++l) {
    const double shift = lambdas[static_cast<std::size_t>(l)] * fold.rows;
    out[l].residual = solve_shifted(space.alpha, space.beta, shift, space.norm, z);
    float* column = packed.data() + (l / width) * width * t + l % width;
    for (index_t j = 0; j < t; ++j)
      column[j * width] = static_cast<float>(z[static_cast<std::size_t>(j)]);
  }
  const index_t panels = round_up(static_cast<index_t>(fold.held_out.size()), kPanel) / kPanel;
  Buffer<float> tile(kPanel * groups * width);
  for (index_t p = 0; p < panels; ++p) {
    std::fill_n(tile.data(), tile.size(), 0.0f);
    for (index_t g = 0; g < groups && t > 0; ++g)
      micro_.gemm_f32(t, space.held_out.data() + p * space.capacity * kPanel,
                      packed.data() + g * width * t, tile.data() + g * width * kPanel, kPanel);
    add_losses(space, p, tile.data(), count, clip, out);
  }
}

void KrylovPath::add_losses(const Space& space, index_t panel, const float* predictions,
                            index_t cols, const Clip& clip, Estimate* out) const {
  const auto& rows = plan_.folds[static_cast<std::size_t>(space.system.fold)].held_out;
  const index_t end = std::min(kPanel, static_cast<index_t>(rows.size()) - panel * kPanel);
  for (index_t l = 0; l < cols; ++l) {
    double sum = 0;
    for (index_t r = 0; r < end; ++r) {
      const index_t row = rows[static_cast<std::size_t>(panel * kPanel + r)];
      const double error =
          responses_(row, space.system.response) - clip(predictions[l * kPanel + r]);
      sum += plan_.weights[static_cast<std::size_t>(row)] * error * error;
    }
    out[l].risk += sum;
  }
}

}  // namespace flexkern
