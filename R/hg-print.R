# Kernels and models on the screen.

#' @method print hg_kernel
#' @export
print.hg_kernel <- function(x, digits = 3, ...) {
  check_args(digits = digits)
  check_sound(x)
  leaves <- leaf_count(x)
  cat("Hierarchical Gaussian kernel of depth ", x$depth, ": ", leaves, plural(leaves, " node"),
      " on columns, ", x$size, " weights\n", sep = "")
  print_node(if (is.null(x$design)) x else on_columns(x, x$design), "", digits)
  invisible(x)
}

leaf_count <- function(node) {
  if (is_leaf(node)) 1L else sum(vapply(node$nodes, leaf_count, 0L))
}

any_columns <- function(node) {
  if (is_leaf(node)) node$columns else unlist(lapply(node$nodes, any_columns))
}

print_node <- function(node, indent, digits) {
  number <- format(node$weights, digits = digits)
  if (is_leaf(node)) {
    shown <- utils::head(paste0(node$columns, " (", trimws(number), ")"), 8L)
    more <- length(number) - length(shown)
    cat(indent, "  ", paste(shown, collapse = " "), if (more) paste(" and", more, "more"), "\n",
        sep = "")
    return(invisible())
  }
  for (i in seq_along(node$nodes)) {
    cat(indent, "  node ", i, ", weight ", trimws(number[i]), "\n", sep = "")
    print_node(node$nodes[[i]], paste0(indent, "  "), digits)
  }
}

#' @rdname summary.vpsvm
#' @method print hgsvm
#' @export
print.hgsvm <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  check_sound(x)
  print_call(x$call)
  print_head(x, digits)
  print_learning(x)
  cat("\n")
  invisible(x)
}

print_learning <- function(x) {
  tried <- x$architectures
  print_line("Architecture", tried$name[tried$chosen], if (nrow(tried) > 1L)
    paste0(", the best of ", nrow(tried)))
  print_line("Weights", sum(lengths(x$nodes$weights)), " by ", x$optimizer, " on ", x$learn.rows,
             " rows")
}

#' @rdname summary.vpsvm
#' @method summary hgsvm
#' @export
summary.hgsvm <- function(object, ...) {
  out <- summary.vpsvm(object, ...)
  learning <- c("architectures", "optimizer", "learn.rows")
  out$model[learning] <- object[learning]
  out$architectures <- object$architectures
  out$importance <- weight_shares(object)
  structure(out, class = c("summary.hgsvm", class(out)))
}

#' @rdname summary.vpsvm
#' @method print summary.hgsvm
#' @export
print.summary.hgsvm <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  print_call(x$model$call)
  print_head(x$model, digits)
  print_learning(x$model)
  cat("\nArchitectures:\n")
  print_rows(x$architectures, 20L, digits)
  cat("\nShares of the columns in the weights:\n")
  print_shares(x$importance, 12L)
  cat("\n")
  print_cells(x, digits)
  invisible(x)
}

# The largest ones.
print_shares <- function(shares, most) {
  shown <- utils::head(sort(shares, decreasing = TRUE), most)
  print(round(shown, 3L))
  more <- length(shares) - length(shown)
  if (more > 0L) {
    cat("... and ", more, " more, together ", format(round(1 - sum(shown), 3L)), "\n", sep = "")
  }
}
