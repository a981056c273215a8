#' Plot a hierarchical Gaussian kernel
#'
#' One row of tiles for each node of the first layer, one column for each column of the data: the
#' darker a tile, the faster the squared distance of two near rows grows with their difference in
#' this column, through this node. The number is the square root of that: \eqn{|v_j|} times
#' \eqn{\sqrt 2 |w|} for each node above.
#'
#' @param x An object made by [hg_kernel()], or a model made by [hgsvm()].
#' @param names Names for the columns.
#' @param ... Graphical parameters for the main plot.
#' @return `x`, invisibly.
#' @seealso [importance()], which adds the squares of a column's tiles.
#' @examples
#' plot(hg_kernel(list(1:2, 2:4), weights = c(1, 0.3)))
#' @method plot hg_kernel
#' @export
plot.hg_kernel <- function(x, names = NULL, ...) {
  used <- any_columns(x)
  names <- names %||% if (is.character(used)) unique(used) else paste0("V", seq_len(max(used)))
  plot_tiles(numbered(x, names), names, ...)
  invisible(x)
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
  if (length(tiles) > 200L) return(invisible())
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
