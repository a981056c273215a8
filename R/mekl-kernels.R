# The views: what the user calls kernels becomes a list of views for the core. x holds the scaled
# rows.

mekl_kernels <- function(s, x, blueprint) {
  entries <- mekl_entries(s$kernels, s$method)
  several <- length(entries) > 1L
  lapply(seq_along(entries), function(i) {
    mekl_view(entries[[i]], if (several) paste0("kernels[[", i, "]]") else "kernels", s, x,
              blueprint)
  })
}

# One kernel is a list of one.
mekl_entries <- function(kernels, method) {
  named <- is.list(kernels) && !is.null(names(kernels)) && "kernel" %in% names(kernels)
  if (is.function(kernels) || is_kernel_object(kernels) || named) kernels <- list(kernels)
  if (is.character(kernels)) kernels <- as.list(kernels)
  if (!is.list(kernels) || is.object(kernels) || length(kernels) == 0L) {
    abort_arg("kernels", kernels, "a kernel or a list of kernels")
  }
  wanted <- switch(method, kmhks = 1L, svm2k = 2L, length(kernels))
  if (length(kernels) != wanted) {
    abort(method, "() takes ", wanted, plural(wanted, " kernel"), ", but `kernels` has ",
          length(kernels), "; use rmekl() for another number.", arg = "kernels")
  }
  unname(kernels)
}

mekl_words <- c("linear", "radial", "polynomial")

mekl_view <- function(entry, where, s, x, blueprint) {
  if (!is.list(entry) || is.object(entry)) entry <- list(kernel = entry)
  parts <- c("kernel", "columns", "gamma", "degree", "coef0")
  unknown <- setdiff(names(entry) %||% "", parts)
  if (length(unknown)) {
    abort("`", where, "` has the unknown part ", name_list(unknown), "; known are ",
          name_list(parts), ".", arg = "kernels")
  }
  if (is_kernel_object(entry$kernel)) return(object_view(entry, where, s, x, blueprint))
  columns <- seen_columns(entry$columns, where, blueprint)
  if (is.function(entry$kernel)) return(function_view(entry$kernel, columns, where, s, x))
  if (!is.character(entry$kernel)) {
    abort_arg(where, entry$kernel, paste0("one of ", quoted(mekl_words),
                                           ", a function or an hg_kernel() object"))
  }
  name <- check_choice(entry$kernel, mekl_words, where)
  view <- list(name = name, kernel = name, columns = columns, gamma = entry$gamma %||% 1,
               degree = as.integer(entry$degree %||% 2), coef0 = entry$coef0 %||% 1,
               width = "given")
  check_mekl_view(view, entry, where)
  if (name == "radial" && is.null(entry$gamma)) view$width <- s$rbf.scale
  check_kernel_range(x[, columns, drop = FALSE], view[c("kernel", "gamma", "degree", "coef0")],
                     NULL)
  view
}

quoted <- function(words) paste0('"', words, '"', collapse = ", ")

check_mekl_view <- function(view, entry, where) {
  check_args(gamma = entry$gamma, degree = entry$degree %||% 2, coef0 = view$coef0)
  if (length(view$gamma) != 1L) {
    abort_arg("gamma", entry$gamma, "one positive number")
  }
  if (view$kernel == "polynomial" && view$coef0 < 0) {
    abort("`coef0` must be at least 0, not ", format(view$coef0), ": the polynomial kernel is not ",
          "positive definite otherwise.", arg = "kernels")
  }
}

# The Gram matrix is computed here; at prediction the function is called again.
function_view <- function(f, columns, where, s, x) {
  seen <- x[, columns, drop = FALSE]
  values <- kernel_values(f, seen, seen, where, s)
  if (max(abs(values - t(values))) > 1e-8 * max(abs(values))) {
    abort("`", where, "` is not symmetric: f(a, b) must be t(f(b, a)).", arg = "kernels")
  }
  list(name = kernel_name(f), `function` = f, columns = columns, gamma = NA_real_,
       values = values)
}

object_view <- function(entry, where, s, x, blueprint) {
  if (length(entry$gamma) > 1L) abort_arg("gamma", entry$gamma, "one positive number")
  kernel <- entry_objects(entry, where, x, blueprint)[[1L]]
  function_view(kernel, seq_len(ncol(x)), where, s, x)
}

core_view <- function(view) {
  view[intersect(names(view), c("kernel", "columns", "gamma", "degree", "coef0", "width",
                                "values"))]
}

# ---- what the views turned out to be -----------------------------------------------------------

# Kernels that are not positive semi-definite, and views without a basis.
check_mekl_views <- function(views, machines, s) {
  bad <- unique(views$kernel[views$indefinite])
  if (length(bad)) stop_indefinite(bad, s)
  empty <- views$size == 0L & views$rank == 0L
  if (!any(empty)) return(invisible())
  dead <- tapply(empty, views$group, all)
  if (any(dead)) {
    first <- match(which(dead)[1L], machines$group)
    abort("Every kernel has rank 0 for ", machines$name[first], ": no value is above the ",
          "tolerance; use other kernels or columns, or a smaller `tol`.", arg = "kernels")
  }
  numbers <- unique(views$kernel[empty])
  warn(plural(length(numbers), "Kernel ", "Kernels "), paste(numbers, collapse = ", "), " (",
       paste(views$name[match(numbers, views$kernel)], collapse = ", "), ") ",
       plural(length(numbers), "has", "have"), " rank 0 for ", length(unique(views$group[empty])),
       " of ", max(views$group), plural(max(views$group), " problem"), ", no value being above ",
       "the tolerance, and ", plural(length(numbers), "is", "are"), " left out there.")
}

stop_indefinite <- function(bad, s) {
  what <- paste0("Kernel ", paste(bad, collapse = ", "), " is not positive semi-definite")
  if (s$method == "svm2k") abort(what, "; svm2k() needs one that is.", arg = "kernels")
  if (s$basis == "cholesky") {
    abort(what, ", which Cholesky factors need; use basis = \"elimination\", which leaves its ",
          "negative directions out, or another kernel.", arg = "kernels")
  }
  warn(what, "; its negative directions are left out.")
}
