#' Artificial regression problems for localized machines
#'
#' Five problems in the manner of the artificial data of Eberts and Steinwart: I has steps, II has
#' interruptions of smoothness, III peaks that crowd towards 0, IV circular steps, V is smooth.
#'
#' The paper shows its regression functions as pictures only. **These are stand-ins**, calibrated
#' so that the Bayes risk after scaling is close to the paper's (0.0254, 0.0137, 0.0529, 0.0083 and
#' 0.0634): use them to rank methods, not to compare absolute figures of types IV and V. Inputs are
#' uniform on \eqn{[-1, 1]} (I to III) or \eqn{[-1, 1]^2} (IV and V). The noise is the sum of two
#' independent uniforms on \eqn{[-c(x), c(x)]}, with \eqn{c(x) = (3 \sin(\pi |x| / 2) + 1) / 4} in
#' one dimension and \eqn{c(x) = (\sin(\pi (|x_1| + |x_2|) / 4) + 1) / 4} in two.
#'
#' @param type `"I"`, `"II"`, `"III"`, `"IV"` or `"V"`.
#' @param n Number of rows, at least 2. Training and test data that share one scale come from one
#'   call.
#' @param seed A whole number; by default R's stream is used.
#' @return A data frame with `n` rows: `x` (or `x1` and `x2`), the noisy response `y` and the true
#'   regression function `f`. The responses are scaled to \eqn{[-1, 1]} over the generated set, `f`
#'   by the same map, which the attributes `center` and `half.range` keep:
#'   raw value = `center` + `half.range` * scaled value.
#' @references Eberts, M. and Steinwart, I. Optimal learning rates for localized SVMs,
#'   arXiv:1507.06615, section 6 and Figure 6.
#' @examples
#' d <- vp_artificial("III", 500, seed = 1)
#' plot(y ~ x, data = d, col = "grey")
#' lines(f ~ x, data = d[order(d$x), ], lwd = 2)
#' @export
vp_artificial <- function(type = c("I", "II", "III", "IV", "V"), n, seed = NULL) {
  type <- check_choice(type, c("I", "II", "III", "IV", "V"), "type")
  if (missing(n)) abort("`n`, the number of rows, is missing.", arg = "n")
  check_args(n = n, seed = seed)
  if (!is.null(seed)) return(with_seed(seed, vp_artificial(type, n)))
  d <- if (type %in% c("IV", "V")) 2L else 1L
  x <- matrix(stats::runif(n * d, -1, 1), n, d)
  f <- artificial_mean[[type]](x)
  c <- if (d == 1L) (3 * sin(pi / 2 * abs(x[, 1L])) + 1) / 4 else
    (sin(pi / 4 * rowSums(abs(x))) + 1) / 4
  y <- f + stats::runif(n, -c, c) + stats::runif(n, -c, c)
  center <- (max(y) + min(y)) / 2
  half <- (max(y) - min(y)) / 2
  colnames(x) <- if (d == 1L) "x" else c("x1", "x2")
  out <- data.frame(x, y = (y - center) / half, f = (f - center) / half)
  structure(out, center = center, half.range = half)
}

artificial_mean <- list(
  I = function(x) pmin(4, floor(2.5 * (x[, 1L] + 1))) - 2,
  II = function(x) {
    x <- x[, 1L]
    3.8 * ifelse(x < 0, -1, 1) * (0.8 + 0.4 * pmin(abs(x), 1 - abs(x)))
  },
  III = function(x) {
    u <- log2(pmax(abs(x[, 1L]), 1e-6))
    2 * 1.86 * abs(u - round(u))
  },
  IV = function(x) 1.5 * pmin(4, floor(4 * sqrt(rowSums(x^2)))),
  V = function(x) 1.4 * pmax(0, 1 - sqrt(rowSums(x^2)))
)

# Runs code from its own seed and leaves R's stream as it was.
with_seed <- function(seed, code) {
  force(seed)
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(
    if (is.null(old)) rm(".Random.seed", envir = globalenv()) else
      assign(".Random.seed", old, envir = globalenv())
  )
  set.seed(seed)
  code
}
