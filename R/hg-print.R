# Kernels and models on the screen.

#' @method print hg_kernel
#' @export
print.hg_kernel <- function(x, digits = 3, ...) {
  check_args(digits = digits)
  flat <- flat_nodes(numbered_loosely(x))
  cat("Hierarchical Gaussian kernel of depth ", x$depth, ": ", sum(flat$leaf),
      plural(sum(flat$leaf), " node"), " on columns, ", x$size, " weights\n", sep = "")
  print_node(x, "", digits)
  invisible(x)
}

# Names count as columns of their own.
numbered_loosely <- function(node) {
  numbered(node, if (is.character(any_columns(node))) unique(any_columns(node)) else
    seq_len(max(any_columns(node))))
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
  tried <- x$architectures
  print_line("Architecture", tried$name[tried$chosen], if (nrow(tried) > 1L)
    paste0(", the best of ", nrow(tried)))
  print_line("Weights", sum(lengths(x$nodes$weights)), " by ", x$optimizer, " on ", x$learn.rows,
             " rows")
  cat("\n")
  invisible(x)
}
