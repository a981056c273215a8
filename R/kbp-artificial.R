#' Artificial signals for kernel basis pursuit
#'
#' The five signals of Guigue, Rakotomamonjy and Canu: a cosine whose frequency grows, and four of
#' Donoho and Johnstone. All are smooth in some places and rough in others, which a kernel of one
#' width cannot follow.
#'
#' With \eqn{s_j} and \eqn{h_j} the places and heights of eleven steps they are
#' * `"cosexp"`: \eqn{\cos(\exp(2.4 t))} on \eqn{[0, 2]}, the others on \eqn{[0, 1]};
#' * `"doppler"`: \eqn{\sqrt{t (1 - t)} \sin(2.1 \pi / (t + 0.05))};
#' * `"blocks"`: \eqn{\sum_j h_j (1 + \textrm{sgn}(t - s_j)) / 2}{sum_j h_j (1 + sgn(t - s_j)) / 2};
#' * `"ramp"`: \eqn{t}, less 1 from 0.37 on;
#' * `"heavisine"`: \eqn{4 \sin(4 \pi t) - \textrm{sgn}(t - 0.3) - \textrm{sgn}(0.72 -
#'   t)}{4 sin(4 pi t) - sgn(t - 0.3) - sgn(0.72 - t)}.
#'
#' The paper does not print the noise of the last four. The default, noise of the signal's own
#' variance, comes near its errors on two of them; for `"cosexp"` the standard deviation 0.4 does.
#'
#' @param type `"cosexp"`, `"doppler"`, `"blocks"`, `"ramp"` or `"heavisine"`.
#' @param n Number of rows, at least 2.
#' @param noise Standard deviation of the normal noise: a number of at least 0, or `NULL` for 0.4
#'   (`"cosexp"`) or the standard deviation of the signal (0.289, 1.91, 0.289 and 2.97).
#' @param t Where the signal is taken; `NULL` for `n` uniform random numbers on its interval.
#' @param seed A whole number; by default R's stream is used.
#' @return A data frame with one row for each `t`: `t`, the noisy response `y`, the signal `f`.
#' @references Guigue, V., Rakotomamonjy, A. and Canu, S. (2005) Kernel basis pursuit. ECML 2005,
#'   section 4.
#'
#' Donoho, D. L. and Johnstone, I. M. (1994) Ideal spatial adaptation by wavelet shrinkage.
#' Biometrika 81, 425-455.
#' @seealso [kbp()], [vp_artificial()]
#' @examples
#' d <- kbp_artificial("heavisine", 300, seed = 1)
#' plot(y ~ t, data = d, col = "grey")
#' lines(f ~ t, data = d[order(d$t), ], lwd = 2)
#' @export
kbp_artificial <- function(type = c("cosexp", "doppler", "blocks", "ramp", "heavisine"),
                           n = length(t), noise = NULL, t = NULL, seed = NULL) {
  type <- check_choice(type, names(signals), "type")
  signal <- signals[[type]]
  if (missing(n) && is.null(t)) abort("`n`, the number of rows, is missing.", arg = "n")
  check_args(noise = noise, seed = seed)
  check_times(t, signal$end)
  if (is.null(t)) check_args(n = n) else if (n != length(t)) {
    abort("`n` = ", n, " contradicts the ", length(t), " values of `t`; leave it out.", arg = "n")
  }
  if (!is.null(seed)) return(with_seed(seed, kbp_artificial(type, n, noise, t)))
  if (is.null(t)) t <- stats::runif(n, 0, signal$end)
  f <- signal$f(t)
  data.frame(t, y = f + stats::rnorm(n, sd = noise %||% sqrt(signal$variance)), f)
}

check_times <- function(t, end) {
  inside <- function(v) is_number(v, 0, end)
  if (is.null(t)) return(invisible())
  if (is.numeric(t) && !is.object(t) && length(t) > 0L && all(vapply(t, inside, NA))) {
    return(invisible())
  }
  abort_arg("t", t, paste("numbers from 0 to", end, "or NULL"), inside)
}

# In the definitions that are common since; `variance`: of the noise.
signals <- list(
  cosexp = list(f = function(t) cos(exp(2.4 * t)), end = 2, variance = 0.4^2),
  doppler = list(f = function(t) sqrt(t * (1 - t)) * sin(2 * pi * 1.05 / (t + 0.05)), end = 1,
                 variance = 0.0835),
  blocks = list(f = function(t) {
    at <- c(.10, .13, .15, .23, .25, .40, .44, .65, .76, .78, .81)
    height <- c(4, -5, 3, -4, 5, -4.2, 2.1, 4.3, -3.1, 2.1, -4.2)
    drop((1 + sign(outer(t, at, "-"))) %*% height) / 2
  }, end = 1, variance = 3.65),
  ramp = list(f = function(t) t - (t >= 0.37), end = 1, variance = 0.0833),
  heavisine = list(f = function(t) 4 * sin(4 * pi * t) - sign(t - .3) - sign(.72 - t), end = 1,
                   variance = 8.82)
)
