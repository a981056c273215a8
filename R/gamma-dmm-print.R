#' Print, plot and convert a dual min-max width
#'
#' `as.numeric()` (or `as.double()`) gives \eqn{\gamma}, `format()` the same as text. `summary()`
#' adds the diameter of each class and the closest rows. `plot()` draws, over \eqn{\gamma}, the two
#' terms of \eqn{G} and its minimum, or the Pareto front: the pairs \eqn{(\gamma D^2, 1 / (\gamma
#' d^2))} of a small diameter against a small inverse distance in feature space, of which no one can
#' be improved in both; each \eqn{\lambda} has its point there.
#'
#' @param x,object An object made by [gamma_dmm()], or its summary.
#' @param type `"objective"` or `"pareto"`.
#' @param lambda Weights strictly between 0 and 1 to mark on the Pareto front.
#' @param digits Significant digits.
#' @param ... Graphical parameters for the main plot, arguments of `format()`; not used by the
#'   others.
#' @return `print` and `plot` return `x`, invisibly; `summary` returns a list of class
#'   `summary.gamma_dmm` with the object as `width`.
#' @examples
#' g <- gamma_dmm(Species ~ ., data = iris)
#' as.numeric(g)
#' plot(g)
#' plot(g, type = "pareto", lambda = c(0.2, 0.5, 0.8))
#' @export
plot.gamma_dmm <- function(x, type = c("objective", "pareto"),
                           lambda = c(0.05, 0.2, 0.5, 0.8, 0.95), ...) {
  type <- check_choice(type, c("objective", "pareto"), "type")
  check_sound(x)
  if (!are_shares(lambda)) {
    abort_arg("lambda", lambda, "numbers strictly between 0 and 1", is_share)
  }
  switch(type, objective = plot_objective(x, ...), pareto = plot_pareto(x, lambda, ...))
  invisible(x)
}

# The width where only the balance of the two terms is left: gamma of lambda = 1/2.
dmm_balance <- function(x, lambda) x$gamma * sqrt(x$lambda / (1 - x$lambda) * (1 - lambda) / lambda)

dmm_terms <- function(x, gamma) {
  cbind(diameter = gamma * x$D_max^2, distance = 1 / (gamma * x$d^2))
}

plot_objective <- function(x, ...) {
  gamma <- x$gamma * 10^seq(-1, 1, length.out = 201L)
  terms <- dmm_terms(x, gamma) * rep(c(x$lambda, 1 - x$lambda), each = length(gamma))
  G <- cbind(rowSums(terms), terms)
  args <- list(x = gamma, y = G, type = "l", log = "xy", lty = c(1L, 2L, 2L), lwd = c(2L, 1L, 1L),
               col = c("black", "firebrick", "steelblue"), xlab = "gamma", ylab = "G",
               main = "Dual min-max width")
  do.call(graphics::matplot, override(args, ...))
  graphics::points(x$gamma, min(G[, 1L]), pch = 19L)
  graphics::abline(v = x$gamma, lty = 3L, col = "grey50")
  graphics::legend("top", c("G", "diameter term", "distance term"), col = args$col,
                   lty = args$lty, lwd = args$lwd, bty = "n")
}

plot_pareto <- function(x, lambda, ...) {
  spread <- dmm_balance(x, range(lambda))
  front <- dmm_terms(x, exp(seq(log(spread[1L]) + 1, log(spread[2L]) - 1, length.out = 201L)))
  chosen <- dmm_terms(x, dmm_balance(x, lambda))
  args <- list(x = front[, 1L], y = front[, 2L], type = "l", log = "xy", main = "Pareto front",
               xlab = "gamma D^2 (diameter)", ylab = "1 / (gamma d^2) (inverse distance)")
  do.call(graphics::plot.default, override(args, ...))
  graphics::points(chosen, pch = 19L, col = "firebrick")
  graphics::text(chosen, labels = paste("lambda =", format(lambda)), pos = 4L, xpd = NA)
}

#' @rdname plot.gamma_dmm
#' @method print gamma_dmm
#' @export
print.gamma_dmm <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  check_sound(x)
  number <- function(value) format(value, digits = digits)
  cat("Dual min-max width of the Gaussian kernel\n")
  print_line("gamma", number(x$gamma), " (sigma ", number(x$sigma), ")")
  at <- x$diameters[which.max(x$diameters$diameter), ]
  print_line("D, diameter", number(x$D_max), if (at$diameter > 0) paste0(
    " (class ", at$class, ", rows ", at$row1, " and ", at$row2, ")"
  ) else " (d, as all diameters are 0)")
  print_line("d, distance", number(x$d), " (", distance_words[[x$distance]], ")")
  print_line("lambda", number(x$lambda))
  print_line("Data", x$n, " rows, ", nrow(x$diameters), " classes, ", length(x$columns),
             plural(length(x$columns), " column"),
             if (x$sampled < x$n) paste0("; ", x$sampled, " rows for d"))
  method <- table(x$scaling$method)
  print_line("Scaling", paste(method, names(method), collapse = ", "))
  invisible(x)
}

distance_words <- c(
  nn = "mean to the nearest row of another class", pair_min = "mean smallest of two classes",
  pair_mean = "mean between two classes", centroid = "mean between class means",
  min = "smallest between classes"
)

#' @rdname plot.gamma_dmm
#' @method summary gamma_dmm
#' @export
summary.gamma_dmm <- function(object, ...) {
  check_dots(list(...), "object", "summary")
  check_sound(object)
  structure(list(width = object), class = "summary.gamma_dmm")
}

#' @rdname plot.gamma_dmm
#' @method print summary.gamma_dmm
#' @export
print.summary.gamma_dmm <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  print.gamma_dmm(x$width, digits)
  cat("\nClasses:\n")
  print_rows(x$width$diameters, 30L, digits)
  if (!is.null(x$width$closest)) {
    cat("\nClosest rows of different classes:\n")
    print_rows(x$width$closest, 30L, digits)
  }
  invisible(x)
}

#' @rdname plot.gamma_dmm
#' @method format gamma_dmm
#' @export
format.gamma_dmm <- function(x, digits = 4L, ...) {
  check_args(digits = digits)
  format(as.double(x), digits = digits, ...)
}

#' @export
as.double.gamma_dmm <- function(x, ...) {
  check_sound(x)
  x$gamma
}
