# The shape that all models and their summaries are printed in.

print_call <- function(call) {
  cat("\nCall:\n", paste(deparse(call, width.cutoff = 70L), collapse = "\n"), "\n\n", sep = "")
}

print_line <- function(label, ...) cat(format(label, width = 17L), ..., "\n", sep = "")

span <- function(x, digits) {
  ends <- format(signif(range(x), digits), trim = TRUE)
  paste(unique(ends), collapse = " to ")
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
