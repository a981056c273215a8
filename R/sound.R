# Whether a fitted model is a whole one, whose parts have the shapes that its methods expect.

check_sound <- function(object, sound = is_sound, what = "model") {
  if (isTRUE(tryCatch(sound(object), error = function(e) FALSE))) return(invisible())
  abort("The parts of this ", what, " do not fit together; ",
        if (what == "model") "refit it" else "make it again", ".", arg = "object")
}

# Whether the parts that the core reads have the shapes that it expects.
is_sound <- function(m) {
  cells <- length(m$gamma)
  n <- nrow(m$sv)
  shape <- function(a, rows, cols) {
    sound <- if (is_sparse(a)) is_sound_sparse(a) else is.double(a)
    sound && identical(dim(a), c(rows, cols))
  }
  columns <- max(1L, length(decision_names(m)))
  is.list(m$blueprint) && is.list(m$scaling) && is_number(m$blueprint$p) && is_flag(m$clip) &&
    length(m$blueprint$columns) %in% c(0, m$blueprint$p) &&
    isTRUE(m$task %in% c("classification", "regression")) && all(m$classes %in% m$levels) &&
    (length(m$classes) > 1L) == (m$task == "classification") &&
    isTRUE(m$kernel %in% c("radial", "polynomial", "linear")) && is_number(m$degree) &&
    (is.null(m$nodes) || are_sound_nodes(m$nodes, ncol(m$sv))) &&
    is_number(m$coef0) && is_numeric_table(m$sv) && is.matrix(m$coef) && cells > 0L &&
    shape(m$sv, n, ncol(m$sv)) && is_sparse(m$sv) == is_sparse(m$centers) &&
    all(is.finite(m$gamma)) && all(m$gamma >= 0) && ncol(m$coef) == columns &&
    all_finite(m$coef, m$intercept, entries(m$sv)) && is_sound_label(m$label) &&
    shape(m$coef, n, ncol(m$coef)) && shape(m$intercept, cells, ncol(m$coef)) &&
    (is.null(m$fold.coef) || shape(m$fold.coef, n, NCOL(m$fold.coef))) &&
    isTRUE(m$partition %in% c("none", "random", "voronoi", "bounded")) &&
    is.integer(m$cell.of.center) && shape(m$centers, length(m$cell.of.center), ncol(m$sv)) &&
    all(m$cell.of.center %in% seq_len(cells)) &&
    (length(m$cell.of.center) > 0L) == (m$partition %in% c("voronoi", "bounded")) &&
    length(m$offset) == cells + 1L && !is.unsorted(m$offset) &&
    all(range(m$offset) == c(0, n)) && is_sound_scaling(m$scaling, ncol(m$sv)) &&
    is_sound_record(m, cells)
}

# What the other methods read.
is_sound_record <- function(m, cells) {
  have(m, 1L, "n", "folds", "final", "validation", "bytes", "threads", "cv.error", "radius") &&
    have(m, cells, "lambda", "cv.risk", "iterations", "converged", "cell.size") &&
    !anyNA(unlist(unclass(m)[c("cell.size", "search.rows", "converged", "threads", "bytes")])) &&
    is_number(m$n) && is_number(m$folds) && is.atomic(m$residuals) && length(m$residuals) > 0L &&
    (is.null(m$loss) || m$loss %in% loss_names) &&
    (m$task == "regression" || is_flag(m$ordered))
}

# By their sums, which need no memory.
all_finite <- function(...) all(vapply(list(...), function(v) is.finite(sum(v)), NA))

# Whether each of these parts holds so many values.
have <- function(m, length, ...) {
  parts <- unclass(m)[c(...)]
  all(lengths(parts) == length) && all(vapply(parts, is.atomic, NA))
}

is_sound_label <- function(label) {
  is.numeric(label) && all(c("center", "half") %in% names(label)) && all(is.finite(label))
}

is_sound_scaling <- function(scaling, p) {
  is.list(scaling) && all(lengths(scaling[c("center", "factor")]) == p) &&
    all(is.finite(unlist(scaling[c("center", "factor")])))
}
