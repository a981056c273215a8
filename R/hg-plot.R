#' Plot hierarchical Gaussian kernels and their machines
#'
#' @section Weights:
#' One row of tiles for each node of the first layer, one column for each column of the data: the
#' darker a tile, the faster the squared distance of two near rows grows with their difference in
#' this column, through this node. The number is the square root of that: \eqn{|v_j|} times
#' \eqn{\sqrt 2 |w|} for each node above, times \eqn{\sqrt\gamma} in a model of one cell.
#'
#' @param x An object made by [hg_kernel()], or a model made by [hgsvm()].
#' @param names Names for the columns.
#' @param type `"weights"`: see Weights; `"error"`: the risks on the second part of the learning
#'   rows, whose gradient learning follows, and on the third, which says when it stops, with a line
#'   where the weights were taken and dotted ones between rounds; or a picture of [plot.vpsvm()].
#' @param architecture The number of the architecture whose learning is shown; by default the chosen
#'   one.
#' @param ... Graphical parameters for the main plot.
#' @return `x`, invisibly.
#' @seealso [importance()], where the squares of a column's tiles add up.
#' @examples
#' plot(hg_kernel(list(1:2, 2:4), weights = c(1, 0.3)))
#'
#' d <- data.frame(matrix(runif(1200, -1, 1), 200))
#' d$y <- sin(3 * d$X1) * cos(2 * d$X2)
#' fit <- hgsvm(y ~ ., d, architectures = hg_groups(rep(1:2, each = 3)), steps = 10, seed = 1)
#' plot(fit)
#' plot(fit, "error")
#' @method plot hg_kernel
#' @export
plot.hg_kernel <- function(x, names = NULL, ...) {
  node <- hg_node(x, "x")
  check_sound(x)
  names <- names %||% x$design
  x <- node
  used <- any_columns(x)
  names <- names %||% if (is.character(used)) unique(used) else paste0("V", seq_len(max(used)))
  plot_tiles(numbered(x, names), names, ...)
  invisible(x)
}

#' @rdname plot.hg_kernel
#' @method plot hgsvm
#' @export
plot.hgsvm <- function(x, type = c("weights", "error", "cv", "cells", "fit", "roc"),
                       architecture = NULL, ...) {
  check_sound(x)
  type <- check_choice(type, c("weights", "error", "cv", "cells", "fit", "roc"), "type")
  switch(type, weights = plot_tiles(learned_kernel(x), x$blueprint$names, ...),
         error = plot_learning(x, architecture, ...), plot.vpsvm(x, type, ...))
  invisible(x)
}

# With its width, where all cells have the same.
learned_kernel <- function(x) {
  if (length(x$gamma) == 1L) with_gamma(x$hierarchy, x$gamma) else x$hierarchy
}

plot_learning <- function(x, architecture, ...) {
  tried <- x$architectures
  number <- architecture %||% which(tried$chosen)
  if (!is_whole(number, 1, nrow(tried))) {
    abort_arg("architecture", architecture, paste("a whole number from 1 to", nrow(tried)))
  }
  record <- x$learning[[number]]
  trace <- record$trace
  if (nrow(trace) == 0L) {
    abort("The weights of this architecture were not learned; there is no record to plot.",
          arg = "type")
  }
  risks <- as.matrix(trace[c("validation", "test")])
  args <- list(x = seq_len(nrow(trace)), y = risks, type = "b", lty = 1L, pch = c(1L, 19L),
               cex = 0.6, col = c("grey50", "firebrick"), main = tried$name[number],
               log = if (all(risks > 0)) "y" else "",
               xlab = switch(x$optimizer, anneal = "cycle", lbfgs = "step", "look"), ylab = "risk")
  do.call(graphics::matplot, override(args, ...))
  graphics::abline(v = which(diff(trace$round) != 0) + 0.5, lty = 3L, col = "grey60")
  graphics::abline(v = record$chosen, lty = 2L)
  graphics::legend("topright", c("second part", "third part"), col = c("grey50", "firebrick"),
                   pch = c(1L, 19L), lty = 1L, bty = "n", cex = 0.8)
}

plot_tiles <- function(kernel, names, ...) {
  tiles <- sqrt(leaf_weights(kernel, length(names)))
  p <- ncol(tiles)
  nodes <- nrow(tiles)
  args <- list(x = seq_len(p), y = seq_len(nodes), z = t(tiles[nodes:1, , drop = FALSE]),
               col = grDevices::hcl.colors(50L, "Blues", rev = TRUE), axes = FALSE, xlab = "",
               ylab = "", main = "Weights", zlim = c(0, max(tiles, 1e-300)))
  do.call(graphics::image.default, override(args, ...))
  graphics::axis(1L, seq_len(p), names, las = 2L, tick = FALSE)
  graphics::axis(2L, nodes:1, paste("node", seq_len(nodes)), las = 1L, tick = FALSE)
  graphics::box()
  if (length(tiles) > 200L || !any(tiles > 0)) return(invisible())
  at <- which(tiles > 0, arr.ind = TRUE)
  graphics::text(at[, 2L], nodes + 1 - at[, 1L], format(signif(tiles[at], 2)), cex = 0.7,
                 col = ifelse(tiles[at] > 0.6 * max(tiles), "white", "black"))
}

# One row per node of the first layer: what each column adds to the squared distance of near rows,
# D(x, x') = sum of these times (x_j - x'_j)^2 up to terms of fourth order.
leaf_weights <- function(node, p) {
  if (is_leaf(node)) {
    out <- matrix(0, 1L, p)
    out[node$columns] <- node$weights^2
    return(out)
  }
  do.call(rbind, Map(function(child, w) 2 * w^2 * leaf_weights(child, p), node$nodes,
                     node$weights))
}
