# The shape that all models and their summaries are printed in.

print_call <- function(call) {
  cat("\nCall:\n", paste(deparse(call, width.cutoff = 70L), collapse = "\n"), "\n\n", sep = "")
}

print_line <- function(label, ...) cat(format(label, width = 17L), ..., "\n", sep = "")

span <- function(x, digits) {
  ends <- format(signif(range(x), digits), trim = TRUE)
  paste(unique(ends), collapse = " to ")
}

# Searches that ended at an end of the values that they had to choose from. `edge`: of each of the
# machines (or cells) the parameters at an end.
print_edge <- function(edge, what) {
  at <- edge[nzchar(edge)]
  if (length(at) == 0L) return(invisible())
  print_line("Edge of the grid", paste(unique(at), collapse = "; "),
             if (length(edge) > 1L) paste0(" (", length(at), " of ", length(edge), " ", what, "s)"))
}

# The parameters at an end of their values, "c low, lambda high": side is -1, 0 or 1 for each.
edge_words <- function(names, side) {
  at <- side != 0
  paste(names[at], ifelse(side[at] < 0, "low", "high"), collapse = ", ")
}

# The first rows of a table.
print_rows <- function(table, most, digits, ...) {
  print(utils::head(table, most), digits = digits, ...)
  more <- nrow(table) - most
  if (more > 0L) cat("... and ", more, " more\n", sep = "")
}

# The end of a summary.
print_tail <- function(x, digits, seconds = format(x$seconds, digits = 3L)) {
  print_line("\nTraining error", paste(format(x$error, digits = digits), collapse = ", "))
  print_line("Scaling", paste(x$scaling, names(x$scaling), collapse = ", "))
  print_line("Seconds", seconds)
}
