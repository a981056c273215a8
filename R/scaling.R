# Column scaling: learned on the training rows, stored in the model, applied at prediction.

# What the user asked for, as one word per source column: "range", "standardize" or "none".
scale_methods <- function(scale, columns) {
  words <- c("range", "standardize", "none")
  n_source <- length(columns)
  if (is.logical(scale) && !is.null(names(scale))) {
    if (length(scale) != n_source || !setequal(names(scale), columns)) {
      abort("The names of `scale` must be those of the columns, ", name_list(columns), ", not ",
            name_list(names(scale)), "; give one logical for each column.", arg = "scale")
    }
    scale <- unname(scale[columns])
  }
  if (is.logical(scale) && length(scale) && !anyNA(scale) && length(scale) %in% c(1L, n_source)) {
    return(rep_len(ifelse(scale, "standardize", "none"), n_source))
  }
  found <- if (is.character(scale) && length(scale) == 1L) pmatch(scale, words) else NA
  if (!is.na(found)) return(rep_len(words[found], n_source))
  abort_arg(
    "scale", scale,
    paste0('"range", "standardize", "none", TRUE, FALSE, or one logical for each of the ', n_source,
           plural(n_source, " column"), " (", name_list(columns), ")")
  )
}

# center and factor of every design column; the scaled value is (x - center) * factor. `centered`:
# the mean of a column that is not scaled is taken off all the same.
learn_scaling <- function(x, blueprint, scale, centered = FALSE) {
  columns <- source_names(blueprint)[!duplicated(blueprint$source)]
  method <- scale_methods(scale, columns)[blueprint$source]
  method[blueprint$indicator] <- "none"
  spread <- if (is_sparse(x)) sparse_spread(x, method) else
    vapply(seq_len(ncol(x)), function(j) column_spread(x[, j], method[j]), numeric(2))
  center <- spread[1L, ]
  if (centered) center[method == "none"] <- Matrix::colMeans(x)[method == "none"]
  constant <- spread[2L, ] == 0
  factor <- ifelse(constant, 0, 1 / spread[2L, ])
  bad <- !is.finite(center) | !is.finite(factor)
  if (any(bad)) {
    abort("The values of column ", name_list(blueprint$names[bad]), " are too large or too small ",
          "to be scaled; change their unit.", arg = "x")
  }
  if (any(constant)) {
    message(plural(sum(constant), "Column ", "Columns "), name_list(blueprint$names[constant]),
            plural(sum(constant), " is", " are"), " constant and set to 0.")
  }
  list(center = center, factor = factor, method = method)
}

# Center and spread; 0 and 1 leave a column as it is, a spread of NaN is beyond double precision.
column_spread <- function(x, method) {
  if (method == "none") return(c(0, 1))
  if (method == "range") {
    ends <- range(x)
    return(c(ends[1L] / 2 + ends[2L] / 2, ends[2L] / 2 - ends[1L] / 2))
  }
  unit <- power_of_two(x)
  c(mean(x), if (min(x) == max(x)) 0 else finite_spread(stats::sd(x / unit) * unit))
}

# Of the size of the largest value: in this unit no square leaves the range of double precision.
power_of_two <- function(x) {
  largest <- max(abs(x))
  if (largest > 0) 2^floor(log2(largest)) else 1
}

finite_spread <- function(spread) {
  spread[spread == 0 | is.infinite(spread)] <- NaN
  spread
}

apply_scaling <- function(x, scaling) {
  if (is_sparse(x)) return(scale_sparse(x, scaling$factor))
  for (j in seq_len(ncol(x))) x[, j] <- (x[, j] - scaling$center[j]) * scaling$factor[j]
  x
}

# For plots of one or two columns.
undo_scaling <- function(x, scaling) {
  if (is_sparse(x)) x <- sweep(as.matrix(x), 2L, implicit_shift(x, scaling) %||% 0)
  usable <- ifelse(scaling$factor == 0, Inf, scaling$factor)
  x <- sweep(x, 2L, usable, "/")
  sweep(x, 2L, scaling$center, "+")
}
