#' Kernel width from the distances between the rows
#'
#' Two common rules that need no response. `gamma_median()` is the median heuristic: with \eqn{m}
#' the median distance between two rows, \eqn{\gamma = 1 / (2 m^2)}, which is \eqn{\sigma = m} in
#' \eqn{\exp(-|u - v|^2 / (2 \sigma^2))}. `gamma_sigest()` gives the inverse quantiles of the
#' squared distances, as \pkg{kernlab}'s `sigest()` does on a random sample of pairs; good values
#' often lie between the first and the last.
#'
#' Pairs of equal rows are left out, and so are the empty columns of a sparse matrix, before it is
#' made dense. Both rules follow the unit of `x`: `gamma(c * x)` is `gamma(x) / c^2`. They do not
#' scale unless `scale` says so, where the fitters of this package scale to \eqn{[-1, 1]}:
#' `vpsvm(gamma = "median")` computes the rule on its scaled rows.
#'
#' @param x A numeric matrix, a sparse matrix or a data frame, as for [vpsvm()]; rows are
#'   observations.
#' @param probs Probabilities of the quantiles, strictly between 0 and 1.
#' @param scale As in [vpsvm()], but `"none"` by default.
#' @param max.n With more rows than this, only so many, evenly spaced, are used: the number of pairs
#'   grows with the square. `Inf` for all.
#' @param na.action [na.fail()] or [na.omit()].
#' @return `gamma_median()`: one positive number. `gamma_sigest()`: one for each of `probs`, named
#'   by it, falling. The unit is one over the squared unit of the scaled `x`. It is an error when
#'   all rows are equal.
#' @seealso [gamma_dmm()], which uses the classes.
#' @examples
#' gamma_median(iris[1:4])
#' gamma_sigest(iris[1:4], scale = "standardize")
#' vpsvm(Species ~ ., iris, gamma = "median", lambda = 1e-3)
#' @export
gamma_median <- function(x, scale = "none", max.n = 2000, na.action = stats::na.fail) {
  check_args(max.n = max.n)
  median_gamma(scaled_rows(x, scale, na.action), resolve_memory(NULL), max.n)
}

#' @rdname gamma_median
#' @export
gamma_sigest <- function(x, probs = c(0.1, 0.5, 0.9), scale = "none", max.n = 2000,
                         na.action = stats::na.fail) {
  check_args(probs = probs, max.n = max.n)
  found <- distances_of(scaled_rows(x, scale, na.action), resolve_memory(NULL), max.n)
  width <- stats::quantile(found$squared, probs)
  stats::setNames(finite_gamma(1 / width / found$unit / found$unit), names(width))
}

median_gamma <- function(x, memory, max.n = 2000) {
  found <- distances_of(x, memory, max.n)
  finite_gamma(0.5 / stats::median(sqrt(found$squared))^2 / found$unit / found$unit)
}

# The positive squared distances between the rows, in the given unit, in which none overflows.
distances_of <- function(x, memory, max.n) {
  n <- nrow(x)
  if (n > max.n) x <- x[round(seq(1, n, length.out = floor(max.n))), , drop = FALSE]
  check_pairs(nrow(x), memory)
  x <- dense_rows(x, memory)
  unit <- power_of_two(x)
  squared <- squared_distances(x / unit)
  squared <- squared[squared > 0]
  if (length(squared) == 0L) {
    abort("All rows of `x` are equal, so that no kernel width can be found; give `gamma`.",
          arg = "x")
  }
  list(squared = squared, unit = unit)
}

# Four vectors are held at a time.
check_pairs <- function(n, memory) {
  needed <- 4 * 8 * n * (n - 1) / 2
  if (needed <= memory) return(invisible())
  abort("The distances between ", n, " rows need ", format_bytes(needed), " of memory, more than ",
        "the budget of ", format_bytes(memory), "; use fewer rows (`max.n`) or raise `memory` (or ",
        "the option `flexkern.memory`).", arg = "memory")
}

# Some columns at a time: an interrupt has to wait for dist().
squared_distances <- function(x) {
  size <- max(1, floor(4e8 / nrow(x)^2))
  parts <- split(seq_len(ncol(x)), (seq_len(ncol(x)) - 1) %/% size)
  squared <- 0
  for (columns in parts) {
    squared <- squared + as.vector(stats::dist(x[, columns, drop = FALSE]))^2
  }
  squared
}

finite_gamma <- function(gamma) {
  if (is_positive(gamma)) return(gamma)
  abort("`gamma` would not be a positive number: the distances in `x` are too large or too small; ",
        "change its unit or use `scale`.", arg = "x")
}

scaled_rows <- function(x, scale, na.action) {
  if (missing(x)) abort("`x` is missing; give the rows.", arg = "x")
  frame <- as_frame(x, "x")
  if (is_sparse(frame) && length(scale) == 1L) frame <- filled_columns(frame)
  check_columns(frame, resolve_memory(NULL))
  input <- mold(frame, numeric(nrow(frame)), na.action = na.action)
  apply_scaling(input$x, learn_scaling(input$x, input$blueprint, scale))
}
