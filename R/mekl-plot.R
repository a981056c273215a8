#' Plot machines on several kernels
#'
#' @param x A model made by [rmekl()], [mhks()], [kmhks()] or [svm2k()].
#' @param type `"objective"`: the objective at each iteration, one curve a machine (for [svm2k()]
#'   the dual objective); `"map"`: for each kernel of a machine the first two
#'   coordinates of its orthonormal map \eqn{\Lambda^{-1/2} Q' (k(x, v_1), \ldots, k(x, v_r))'},
#'   with \eqn{Q \Lambda Q'} the Gram matrix of the basis rows, coloured by class.
#' @param machine The number of the machine, for `"map"`.
#' @param newdata,y Rows to draw on the map and their classes, which a model made from a formula
#'   takes from `newdata`; by default the basis rows that the model keeps.
#' @param ... Graphical parameters for the main plot.
#' @return `x`, invisibly.
#' @examples
#' fit <- rmekl(Species ~ ., iris, c = 0.1, lambda = 1)
#' plot(fit)
#' plot(fit, "map", machine = 3, newdata = iris)
#' @method plot rmekl
#' @export
plot.rmekl <- function(x, type = c("objective", "map"), machine = 1, newdata = NULL, y = NULL,
                       ...) {
  check_sound(x)
  type <- check_choice(type, c("objective", "map"), "type")
  if (!is_whole(machine, 1, nrow(x$machines))) {
    abort_arg("machine", machine, paste("a whole number from 1 to", nrow(x$machines)))
  }
  if (type == "objective") plot_trace(x, ...) else plot_map(x, machine, newdata, y, ...)
  invisible(x)
}

plot_trace <- function(x, ...) {
  traces <- x$objective
  longest <- max(lengths(traces))
  values <- vapply(traces, function(v) c(v, rep(NA, longest - length(v))), numeric(longest))
  positive <- all(values > 0, na.rm = TRUE)
  args <- list(x = seq_len(longest), y = matrix(values, longest), type = "l", lty = 1L,
               col = grDevices::hcl.colors(max(length(traces), 2L), "viridis"),
               log = if (positive) "y" else "", xlab = "iteration", ylab = "objective",
               main = "Objective")
  do.call(graphics::matplot, override(args, ...))
}

plot_map <- function(x, machine, newdata, y, ...) {
  group <- x$machines$group[machine]
  shown <- which(x$views$group == group & lengths(x$position) > 0L)
  if (length(shown) == 0L) {
    abort("The machine ", x$machines$name[machine], " is constant and keeps no basis rows, so ",
          "that there is no map; plot(x) shows its objective.", arg = "machine")
  }
  rows <- map_rows(x, machine, newdata, y)
  old <- graphics::par(mfrow = c(1L, length(shown)))
  on.exit(graphics::par(old))
  colors <- grDevices::hcl.colors(max(length(x$classes), 2L), "Dark 3")
  for (v in shown) {
    at <- map_coordinates(x, v, rows$x)
    args <- list(x = at[, 1L], y = at[, 2L], col = colors[rows$class], pch = 19L, cex = 0.6,
                 xlab = "coordinate 1", ylab = "coordinate 2",
                 main = paste0(x$views$name[v], ", rank ", x$views$rank[v]))
    do.call(graphics::plot.default, override(args, ...))
  }
  seen <- sort(unique(rows$class))
  graphics::legend("topright", x$classes[seen], col = colors[seen], pch = 19L, bty = "n",
                   cex = 0.8)
}

# Scaled rows and the codes of their classes.
map_rows <- function(x, machine, newdata, y) {
  if (is.null(newdata)) {
    kept <- sort(unique(unlist(x$position[x$views$group == x$machines$group[machine]])))
    return(list(x = x$sv[kept, , drop = FALSE], class = x$sv.class[kept]))
  }
  new <- forge(newdata, x$blueprint)
  label <- given_response(x, newdata, y, new$n)[new$row]
  list(x = apply_scaling(new$x, x$scaling), class = match(label, x$classes))
}

# Two coordinates of the map of a view.
map_coordinates <- function(x, view, rows) {
  kernel <- x$kernels[[x$views$kernel[view]]]
  if (identical(kernel$kernel, "radial")) kernel$gamma <- x$views$gamma[view]
  centers <- x$sv[x$position[[view]], kernel$columns, drop = FALSE]
  eig <- eigen(plain_kernel(kernel, centers, centers), symmetric = TRUE)
  used <- which(eig$values[1:2] > 1e-12 * eig$values[1L])
  out <- matrix(0, nrow(rows), 2L)
  k <- plain_kernel(kernel, rows[, kernel$columns, drop = FALSE], centers)
  axes <- sweep(eig$vectors[, used, drop = FALSE], 2L, sqrt(eig$values[used]), "/")
  out[, used] <- k %*% axes
  out
}

# A kernel in plain R, for plots.
plain_kernel <- function(kernel, a, b) {
  if (is.null(kernel$kernel)) {
    return(kernel_values(kernel[["function"]], a, b, "kernels", list(), kernel$inputs))
  }
  dots <- tcrossprod(a, b)
  switch(
    kernel$kernel, linear = dots, polynomial = (kernel$gamma * dots + kernel$coef0)^kernel$degree,
    radial = exp(-kernel$gamma * pmax(outer(rowSums(a^2), rowSums(b^2), "+") - 2 * dots, 0))
  )
}
