#' Plot kernel basis pursuit
#'
#' @param x A model made by [kbp()].
#' @param type `"path"`: the coefficients of the standardised sources against \eqn{\sum |\beta|},
#'   coloured by bandwidth; `"cv"`: the cross-validated error against the bound; `"fit"`: with one
#'   numeric column, the data, the fitted curve (or decision value), and the rows at which the
#'   chosen sources are centered, coloured by bandwidth.
#' @param response The number of the response or class.
#' @param s,mode Where on the path to stop, as in [predict.kbp()]; for `"fit"`.
#' @param ... Graphical parameters for the main plot.
#' @return `x`, invisibly.
#' @examples
#' d <- data.frame(t = runif(150, 0, 2))
#' d$y <- cos(exp(1.8 * d$t)) + rnorm(150, sd = 0.2)
#' fit <- kbp(y ~ t, d, seed = 1)
#' plot(fit)
#' plot(fit, "fit")
#' plot(fit, "cv")
#' @export
plot.kbp <- function(x, type = c("path", "cv", "fit"), response = 1, s = NULL,
                     mode = c("step", "l1", "fraction"), ...) {
  check_sound(x)
  type <- check_choice(type, c("path", "cv", "fit"), "type")
  if (!is_whole(response, 1, length(x$path))) {
    abort_arg("response", response, paste("a whole number from 1 to", length(x$path)))
  }
  switch(
    type, path = plot_path(x, response, ...), cv = plot_bounds(x, response, ...),
    fit = plot_kbp_fit(x, response, s, mode, ...)
  )
  invisible(x)
}

# One colour per kernel and bandwidth, from the widest (dark) to the narrowest.
block_colors <- function(x) {
  width <- vapply(x$blocks, function(b) b$bandwidth %||% Inf, 0)
  grDevices::hcl.colors(max(length(width), 2L), "viridis")[rank(-width, ties.method = "first")]
}

# Kernels of one kind are told apart by their bandwidths.
block_labels <- function(blocks) {
  name <- vapply(blocks, `[[`, "", "name")
  width <- vapply(blocks, function(b) format(signif(b$bandwidth %||% NA, 2)), "")
  if (is_one_kind(blocks)) width else ifelse(width == "NA", name, paste(name, width))
}

is_one_kind <- function(blocks) {
  length(unique(vapply(blocks, `[[`, "", "name"))) == 1L && !is.null(blocks[[1L]]$bandwidth)
}

legend_for <- function(x, shown, ...) {
  if (length(shown) == 0L) return(invisible())
  graphics::legend("topleft", legend = block_labels(x$blocks)[shown], col = block_colors(x)[shown],
                   title = if (is_one_kind(x$blocks)) "bandwidth" else "kernel", bty = "n",
                   cex = 0.8, ...)
}

plot_path <- function(x, response, ...) {
  p <- x$path[[response]]
  if (length(p$source) == 0L) {
    abort("The path holds no source; there is nothing to draw.", arg = "type")
  }
  sources <- sort(unique(p$source))
  beta <- breakpoint_coef(p, seq_len(nrow(p$points)), nrow(x$sources))[sources, , drop = FALSE]
  args <- list(x = p$points$l1, y = t(beta), type = "l", lty = 1L, main = "Path",
               col = block_colors(x)[x$sources$kernel[sources]], xlab = "sum |beta|",
               ylab = "coefficient")
  do.call(graphics::matplot, override(args, ...))
  graphics::abline(h = 0, col = "grey80")
  legend_for(x, sort(unique(x$sources$kernel[sources])), lty = 1L)
}

plot_bounds <- function(x, response, ...) {
  grid <- x$grid[[response]]
  if (nrow(grid) == 0L) {
    abort("The bound was not cross-validated; there is no error curve.", arg = "type")
  }
  args <- list(x = grid$bound, y = grid$cv.error, type = "l", main = "Cross-validated error",
               xlab = switch(x$stop, cv.l1 = "sum |beta|", cv.nu = "nu", "fall of the loss"),
               ylab = "mean squared error", log = if (x$stop == "loss") "x" else "")
  do.call(graphics::plot.default, override(args, ...))
  graphics::abline(v = x$bound[response], lty = 2L)
}

plot_kbp_fit <- function(x, response, s, mode, ...) {
  if (x$blueprint$p != 1L || length(x$blueprint$names) != 1L || any(x$blueprint$indicator)) {
    abort('type = "fit" needs a model with one numeric column.', arg = "type")
  }
  if (any(vapply(x$blocks, function(b) b$name == "given", NA))) {
    abort('type = "fit" draws a curve, but a matrix among the kernels has values at the rows ',
          'only; use type = "path".', arg = "type")
  }
  shown <- if (is.null(s)) x else at_position(x, check_position(s, TRUE), mode)
  live <- which(shown$coef[, response] != 0)
  centers <- undo_scaling(x$sv, x$scaling)[x$sources$center[live], 1L]
  line <- seq(min(x$at), max(x$at), length.out = 500L)
  curve <- kbp_decision(shown, apply_scaling(matrix(line), x$scaling),
                        list(threads = 1L, memory = resolve_memory(NULL)))[, response]
  regression <- x$task == "regression"
  y <- if (regression) as.matrix(x$fitted + x$residuals)[, response] else curve
  args <- list(x = if (regression) x$at else line, y = y, type = if (regression) "p" else "n",
               col = "grey70", pch = 20L, main = "Fit", xlab = x$blueprint$names,
               ylab = if (regression) "response" else "decision value")
  do.call(graphics::plot.default, override(args, ...))
  graphics::lines(line, curve, lwd = 2L, col = "firebrick")
  graphics::points(centers, stats::approx(line, curve, centers)$y, pch = 19L,
                   col = block_colors(x)[x$sources$kernel[live]])
  legend_for(x, sort(unique(x$sources$kernel[live])), pch = 20L)
}
