#' Coefficients along the path of kernel basis pursuit
#'
#' @param object A model made by [kbp()].
#' @param s Places on the path, in the unit that `mode` names; `NULL` for where the rule stopped.
#' @param mode `"step"`, the breakpoint (0 is the empty model); `"l1"`, the bound on
#'   \eqn{\sum |\beta|} in the unit of `y`; `"fraction"`, its share of that at the end of the path.
#'   Between breakpoints the coefficients are linear.
#' @param standardized `TRUE` for the coefficients \eqn{\beta} of the standardised sources, whose
#'   absolute values add up to `l1`; `FALSE` for those of the kernels themselves.
#' @param ... Nothing: an unknown argument is an error.
#' @return A matrix with one row for each row of `object$sources` and one for the intercept, first,
#'   and one column for each `s`. With several responses or classes, a list of such matrices.
#' @seealso [kbp()]
#' @examples
#' d <- data.frame(t = seq(0, 1, length.out = 60))
#' d$y <- sin(8 * d$t^2)
#' fit <- kbp(y ~ t, d, stop = "none", max.steps = 20)
#' fit$path[[1]]$points
#' coef(fit, s = c(1, 2.5), mode = "step")
#' @method coef kbp
#' @export
coef.kbp <- function(object, s = NULL, mode = c("step", "l1", "fraction"), standardized = FALSE,
                     ...) {
  check_dots(list(...), setdiff(names(formals(coef.kbp)), "..."), "coef")
  check_args(standardized = standardized)
  check_sound(object)
  mode <- check_choice(mode, c("step", "l1", "fraction"), "mode")
  src <- object$sources
  out <- lapply(object$path, function(p) {
    beta <- if (is.null(s)) breakpoint_coef(p, nrow(p$points), nrow(src)) else
      path_coef(p, check_position(s), mode, nrow(src))
    raw <- if (standardized) list(coef = beta, intercept = rep(p$mean, ncol(beta))) else
      raw_coef(beta, p$mean, src)
    both <- rbind(raw$intercept, raw$coef)
    dimnames(both) <- list(c("(Intercept)", source_labels(src)), s)
    both
  })
  if (length(out) == 1L) out[[1L]] else out
}

source_labels <- function(src) {
  kind <- ifelse(is.na(src$bandwidth), src$name,
                 paste0(src$name, "(", format(signif(src$bandwidth, 3), trim = TRUE), ")"))
  if (nrow(src) == 0L) return(character())
  paste0(kind, "[", ifelse(is.na(src$row), src$place, src$row), "]")
}

check_position <- function(s, one = FALSE) {
  good <- is.numeric(s) && !is.object(s) && length(s) > 0L && all(is.finite(s)) && all(s >= 0)
  if (good && (!one || length(s) == 1L)) return(as.vector(s))
  abort_arg("s", s, if (one) "one number of at least 0, or NULL" else
    "numbers of at least 0, or NULL")
}

# Standardised coefficients at places of a path: sources x places.
path_coef <- function(p, s, mode, sources) {
  last <- nrow(p$points) - 1
  if (mode == "fraction" && any(s > 1 + 1e-12)) {
    abort('`s` must be at most 1 for mode = "fraction", not ', format(max(s), digits = 6), ".",
          arg = "s")
  }
  if (mode == "fraction") s <- s * max(p$points$l1)
  most <- if (mode == "step") last else max(p$points$l1)
  if (any(s > most * (1 + 1e-12))) {
    abort("The path ends at ", if (mode == "step") paste("step", last) else
      paste("sum |beta| =", format(most, digits = 6)), ", before `s` = ",
      format(max(s), digits = 6), '; refit with stop = "none" or a larger `max.steps`.', arg = "s")
  }
  position <- if (mode == "step") pmin(s, last) + 1 else vapply(s, l1_position, 0, p)
  low <- pmax(1, floor(position))
  high <- pmin(nrow(p$points), low + 1)
  share <- rep(position - low, each = sources)
  breakpoint_coef(p, low, sources) * (1 - share) + breakpoint_coef(p, high, sources) * share
}

# Where sum |beta| first reaches the bound. It is linear between the breakpoints of the lasso; other
# paths may bend where a coefficient changes its sign, and there it is sought.
l1_position <- function(bound, p) {
  k <- which(p$points$l1 >= min(bound, max(p$points$l1)))[1L]
  if (k == 1L) return(1)
  ends <- breakpoint_coef(p, c(k - 1L, k), max(p$source))
  excess <- function(t) sum(abs((1 - t) * ends[, 1L] + t * ends[, 2L])) - bound
  if (excess(0) >= 0) return(k - 1)
  if (excess(1) <= 0) return(k)
  k - 1 + stats::uniroot(excess, c(0, 1), tol = 1e-14)$root
}
