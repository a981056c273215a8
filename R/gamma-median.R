#' Kernel width from the distances between the rows
#'
#' Two common rules that need no response. `gamma_median()` is the median heuristic: with \eqn{m}
#' the median distance between two rows, \eqn{\gamma = 1 / (2 m^2)}, which is \eqn{\sigma = m} in
#' \eqn{\exp(-|u - v|^2 / (2 \sigma^2))}. `gamma_sigest()` gives the inverse quantiles of the
#' squared distances, as \pkg{kernlab}'s `sigest()` does on a random sample of pairs; good values
#' often lie between the first and the last.
#'
#' Pairs of equal rows are left out. Both follow the unit of `x`: `gamma(c * x)` is
#' `gamma(x) / c^2`. They are not scaled unless `scale` says so, where the fitters of this package
#' scale to \eqn{[-1, 1]}: `vpsvm(gamma = "median")` computes the rule on its scaled rows.
#'
#' @param x A numeric matrix or a data frame, as for [vpsvm()]; rows are observations.
#' @param probs Probabilities of the quantiles.
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
  median_gamma(scaled_rows(x, scale, na.action), max.n)
}

#' @rdname gamma_median
#' @export
gamma_sigest <- function(x, probs = c(0.1, 0.5, 0.9), scale = "none", max.n = 2000,
                         na.action = stats::na.fail) {
  check_args(probs = probs)
  found <- distances_of(scaled_rows(x, scale, na.action), max.n)
  width <- stats::quantile(found$distance, probs)
  stats::setNames(finite_gamma(1 / width / width / found$unit^2), names(width))
}

median_gamma <- function(x, max.n = 2000) {
  found <- distances_of(x, max.n)
  finite_gamma(0.5 / stats::median(found$distance)^2 / found$unit^2)
}

# The positive distances between the rows, in the given unit, in which no square overflows.
distances_of <- function(x, max.n) {
  check_args(max.n = max.n)
  n <- nrow(x)
  if (n > max.n) x <- x[round(seq(1, n, length.out = max.n)), , drop = FALSE]
  unit <- power_of_two(x)
  distance <- as.vector(stats::dist(x / unit))
  distance <- distance[distance > 0]
  if (length(distance) == 0L) {
    abort("All rows of `x` are equal, so that no kernel width can be found; give `gamma`.",
          arg = "x")
  }
  list(distance = distance, unit = unit)
}

finite_gamma <- function(gamma) {
  if (is_positive(gamma)) return(gamma)
  abort("`gamma` would not be a positive number: the distances in `x` are too large or too small; ",
        "change its unit or use `scale`.", arg = "x")
}

power_of_two <- function(x) {
  largest <- max(abs(x))
  if (largest > 0) 2^floor(log2(largest)) else 1
}

scaled_rows <- function(x, scale, na.action) {
  frame <- as_frame(x, "x")
  input <- mold(x, numeric(nrow(frame)), na.action = na.action)
  x <- apply_scaling(input$x, learn_scaling(input$x, input$blueprint, scale))
  dense_rows(x, resolve_memory(NULL))
}
