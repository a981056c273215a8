# Sparse designs: a dgCMatrix goes the way of a numeric matrix and is never made dense. What differs
# is written here once: reading its slots, and that it is scaled but not shifted.

is_sparse <- function(x) inherits(x, "dgCMatrix")

# One table of numbers, no factors.
is_numeric_table <- function(x) is.matrix(x) || is_sparse(x)

# Any sparse matrix of the Matrix package, or a numeric matrix, as a dgCMatrix without stored zeros.
as_sparse <- function(x) {
  if (is.matrix(x)) {
    at <- which(is.na(x) | x != 0)
    return(sparseMatrix((at - 1) %% nrow(x) + 1, (at - 1) %/% nrow(x) + 1,
                        x = as.numeric(x[at]), dims = dim(x), dimnames = dimnames(x)))
  }
  # The sum with a dgCMatrix is one, whatever x is: symmetric, triangular, a pattern, by rows.
  if (!is_sparse(x)) {
    x <- x + sparseMatrix(integer(), integer(), x = numeric(), dims = dim(x))
  }
  drop_zeros(x)
}

drop_zeros <- function(x) {
  kept <- is.na(x@x) | x@x != 0
  if (all(kept)) return(x)
  x@p <- c(0L, cumsum(kept))[x@p + 1L]
  x@i <- x@i[kept]
  x@x <- x@x[kept]
  x
}

# Nor does a design keep the factorisations that a Matrix can carry along.
without_names <- function(x) {
  if (!is_sparse(x)) return(unname(x))
  x@Dimnames <- list(NULL, NULL)
  x@factors <- list()
  x
}

# Whether the slots fit together, so that the core can follow them.
is_sound_sparse <- function(x) {
  size <- x@Dim
  is.integer(x@i) && is.integer(x@p) && is.double(x@x) && length(x@i) == length(x@x) &&
    length(x@p) == size[2L] + 1L && !anyNA(x@p) && !is.unsorted(x@p) && x@p[1L] == 0L &&
    x@p[size[2L] + 1L] == length(x@i) &&
    (length(x@i) == 0L || isTRUE(min(x@i) >= 0L && max(x@i) < size[1L])) &&
    fk_rows_rise(x@p, x@i)
}

# Names and scaling of a column take about so many bytes while a model is fitted, of an empty one
# too. Asked before any work on the columns.
bytes_per_column <- 300

check_columns <- function(x, memory) {
  if (!inherits(x, "sparseMatrix")) return(invisible())
  needed <- bytes_per_column * ncol(x)
  if (needed <= memory) return(invisible())
  abort("The ", format(ncol(x), scientific = FALSE), " columns of `x` need ", format_bytes(needed),
        " of memory for their names and scaling, more than the budget of ", format_bytes(memory),
        "; leave out the empty ones, or raise `memory`.", arg = "memory")
}

# Without the columns that hold zeros only, which tell no rows apart. The others keep their names.
filled_columns <- function(x) {
  filled <- fk_filled_columns(x@p)
  if (length(filled) == 0L) filled <- 1L
  names <- x@Dimnames[[2L]]
  x@Dimnames[[2L]] <- if (is.null(names)) paste0("V", filled) else names[filled]
  x@p <- c(x@p[filled], length(x@i))
  x@Dim[2L] <- length(filled)
  x
}

# The stored numbers.
entries <- function(x) if (is_sparse(x)) x@x else x

entry_columns <- function(x) rep.int(seq_len(ncol(x)), diff(x@p))

# How many numbers a row takes in memory; an entry's column counts half.
numbers_per_row <- function(x) {
  if (is_sparse(x)) 1 + 1.5 * length(x@x) / max(nrow(x), 1) else ncol(x)
}

# Which rows and columns hold an entry of this kind.
faults <- function(x, is_fault) {
  bad <- is_fault(entries(x))
  if (!is_sparse(x)) return(list(rows = rowSums(bad) > 0, columns = colSums(bad) > 0))
  list(rows = seq_len(nrow(x)) %in% (x@i[bad] + 1L),
       columns = seq_len(ncol(x)) %in% entry_columns(x)[bad])
}

missing_rows <- function(x) {
  if (is.data.frame(x)) return(missing_frame_rows(x))
  if (anyNA(entries(x))) faults(x, is.na)$rows else logical(nrow(x))
}

missing_frame_rows <- function(frame) {
  missing <- logical(nrow(frame))
  for (column in unclass(frame)) {
    if (anyNA(column)) missing <- missing | rowSums(is.na(as.matrix(column))) > 0
  }
  missing
}

squared_norms <- function(x) {
  if (!is_sparse(x)) return(rowSums(x^2))
  x@x <- x@x^2
  Matrix::rowSums(x)
}

# ---- scaling ---------------------------------------------------------------------------------

# The column_spread() of every column, zeros included, in rows 1 and 2.
sparse_spread <- function(x, method) {
  ends <- column_ends(x)
  n <- nrow(x)
  center <- ends[1L, ] / 2 + ends[2L, ] / 2
  spread <- ends[2L, ] / 2 - ends[1L, ] / 2
  if (any(method == "standardize")) {
    mean <- Matrix::colSums(x) / n
    zeros <- n - diff(x@p)
    largest <- pmax(-ends[1L, ], ends[2L, ])
    unit <- ifelse(largest > 0, 2^floor(log2(largest)), 1)
    x@x <- ((x@x - mean[entry_columns(x)]) / unit[entry_columns(x)])^2
    deviation <- unit * sqrt((Matrix::colSums(x) + zeros * (mean / unit)^2) / (n - 1))
    chosen <- method == "standardize"
    center[chosen] <- mean[chosen]
    spread[chosen & spread > 0] <- finite_spread(deviation[chosen & spread > 0])
  }
  plain <- method == "none"
  center[plain] <- 0
  spread[plain] <- 1
  rbind(center, spread, deparse.level = 0L)
}

# Smallest and largest value of every column.
column_ends <- function(x) {
  sorted <- c(x@x[order(entry_columns(x), x@x, method = "radix")], 0)
  stored <- diff(x@p)
  first <- sorted[x@p[-length(x@p)] + 1L]
  last <- sorted[pmax(x@p[-1L], 1L)]
  first[stored == 0L] <- last[stored == 0L] <- 0
  zeros <- stored < nrow(x)
  rbind(ifelse(zeros, pmin(first, 0), first), ifelse(zeros, pmax(last, 0), last))
}

# What scaling would take from each column after its factor. The core keeps account of it where it
# matters: distances do not depend on it, inner products do.
implicit_shift <- function(x, scaling) {
  shift <- if (is_sparse(x)) scaling$center * scaling$factor
  if (any(shift != 0)) shift
}

scale_sparse <- function(x, factor) {
  x@x <- x@x * rep.int(factor, diff(x@p))
  if (any(factor == 0)) drop_zeros(x) else x
}

# ---- models ----------------------------------------------------------------------------------

# Rows of a design, scaled, in the form of the model's support vectors. Sparse rows for a dense
# model come here in blocks.
model_rows <- function(object, x) {
  if (is_sparse(object$sv)) {
    x <- as_sparse(x)
  } else if (is_sparse(x)) {
    x <- as.matrix(x)
  }
  apply_scaling(x, object$scaling)
}
