# Column scaling: learned on the training rows, stored in the model, applied at prediction.

# What the user asked for, as one word per source column: "range", "standardize" or "none".
scale_methods <- function(scale, n_source) {
  words <- c("range", "standardize", "none")
  if (is.logical(scale) && length(scale) && !anyNA(scale) && length(scale) %in% c(1L, n_source)) {
    return(rep_len(ifelse(scale, "standardize", "none"), n_source))
  }
  found <- if (is.character(scale) && length(scale) == 1L) pmatch(scale, words) else NA
  if (!is.na(found)) return(rep_len(words[found], n_source))
  abort_arg(
    "scale", scale,
    paste0('"range", "standardize", "none", TRUE, FALSE, or one logical for each of the ', n_source,
           plural(n_source, " column"))
  )
}

# center and factor of every design column; the scaled value is (x - center) * factor.
learn_scaling <- function(x, blueprint, scale, used = TRUE) {
  method <- scale_methods(scale, max(blueprint$source))[blueprint$source]
  method[blueprint$indicator] <- "none"
  center <- numeric(ncol(x))
  factor <- rep(1, ncol(x))
  constant <- logical(ncol(x))
  if (is_sparse(x) && !isTRUE(used)) x <- x[used, , drop = FALSE]
  for (j in which(method != "none")) {
    spread <- if (is_sparse(x)) sparse_spread(x, j, method[j]) else
      column_spread(x[used, j], method[j])
    constant[j] <- spread[2L] == 0
    center[j] <- spread[1L]
    factor[j] <- if (constant[j]) 0 else 1 / spread[2L]
  }
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

# Center and spread of the values x and of so many zeros.
column_spread <- function(x, method, zeros = 0L) {
  ends <- range(x, if (zeros > 0L) 0)
  if (method == "range") return(c(ends[1L] / 2 + ends[2L] / 2, (ends[2L] - ends[1L]) / 2))
  n <- length(x) + zeros
  mean <- sum(x) / n
  c(mean, if (ends[1L] == ends[2L]) 0 else sqrt((sum((x - mean)^2) + zeros * mean^2) / (n - 1)))
}

sparse_spread <- function(x, j, method) {
  stored <- x@p[j + 1L] - x@p[j]
  if (stored == 0L) return(c(0, 0))
  column_spread(x@x[x@p[j] + seq_len(stored)], method, nrow(x) - stored)
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
