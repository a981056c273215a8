# The views: what the user calls kernels becomes a list of views for the core. x holds the scaled
# rows.

mekl_kernels <- function(s, x, blueprint) {
  entries <- mekl_entries(s$kernels, s$method)
  lapply(seq_along(entries), function(i) {
    view <- mekl_view(entries[[i]], mekl_where(entries)[i], s, x, blueprint)
    if (nzchar(names(entries)[i])) view$name <- names(entries)[i]
    view
  })
}

mekl_where <- function(entries) {
  if (length(entries) > 1L) paste0("kernels[[", seq_along(entries), "]]") else "kernels"
}

mekl_parts <- c("kernel", "columns", "gamma", "degree", "coef0")

# A list with names, "" where there is none. One kernel is a list of one.
mekl_entries <- function(kernels, method) {
  if (is.function(kernels) || is_kernel_object(kernels) || is_one_entry(kernels)) {
    kernels <- list(kernels)
  }
  if (is.character(kernels)) kernels <- as.list(kernels)
  if (!is.list(kernels) || is.object(kernels) || length(kernels) == 0L) {
    abort_arg("kernels", kernels, "a kernel or a list of kernels")
  }
  wanted <- switch(method, kmhks = 1L, svm2k = 2L, length(kernels))
  if (length(kernels) != wanted) {
    abort(method, "() takes ", wanted, plural(wanted, " kernel"), ", but `kernels` has ",
          length(kernels), "; use rmekl() for another number.", arg = "kernels")
  }
  given <- names(kernels) %||% character(length(kernels))
  stats::setNames(kernels, ifelse(is.na(given), "", given))
}

is_one_entry <- function(kernels) {
  is.list(kernels) && !is.object(kernels) && any(names(kernels) %in% mekl_parts)
}

mekl_words <- c("linear", "radial", "polynomial")

mekl_entry <- function(entry, where) {
  if (!is.list(entry) || is.object(entry)) entry <- list(kernel = entry)
  named_parts(entry, mekl_parts, where)
}

mekl_view <- function(entry, where, s, x, blueprint) {
  entry <- mekl_entry(entry, where)
  if (is_kernel_object(entry$kernel)) return(object_view(entry, where, x, blueprint))
  columns <- seen_columns(entry$columns, where, blueprint)
  if (is.function(entry$kernel)) {
    check_parts(entry, NULL, "function", where)
    return(function_view(entry$kernel, columns, blueprint$names[columns]))
  }
  if (!is.character(entry$kernel)) {
    abort_arg(where, entry$kernel, paste0("one of ", quoted(mekl_words),
                                           ", a function or an hg_kernel() object"))
  }
  name <- check_choice(entry$kernel, mekl_words, where)
  check_mekl_view(entry, name, where)
  view <- list(name = name, kernel = name, columns = columns, gamma = entry$gamma %||% 1,
               degree = as.integer(entry$degree %||% 2), coef0 = entry$coef0 %||% 1,
               width = if (name == "radial" && is.null(entry$gamma)) s$rbf.scale else "given")
  check_kernel_range(x[, columns, drop = FALSE], view[c("kernel", "gamma", "degree", "coef0")],
                     NULL)
  view
}

quoted <- function(words) paste0('"', words, '"', collapse = ", ")

# The word for what a view's kernel is.
kernel_word <- function(view) view$kernel %||% kernel_name(view[["function"]])

check_mekl_view <- function(entry, name, where) {
  takes <- list(radial = "gamma", polynomial = c("gamma", "degree", "coef0"))
  check_parts(entry, takes[[name]], name, where)
  check_one_gamma(entry$gamma)
  check_args(degree = entry$degree %||% 2, coef0 = entry$coef0 %||% 1)
  if (name == "polynomial" && (entry$coef0 %||% 1) < 0) {
    abort("`coef0` must be at least 0, not ", format(entry$coef0), ": the polynomial kernel is ",
          "not positive definite otherwise.", arg = "kernels")
  }
}

check_parts <- function(entry, takes, kind, where) {
  refuse_lost(setdiff(names(entry), c("kernel", "columns", takes)), entry$kernel, kind, where)
}

check_one_gamma <- function(gamma) {
  if (is.null(gamma) || is_positive(gamma) && length(gamma) == 1L) return(invisible())
  abort_arg("gamma", gamma, "one positive number (from 1e-100 to 1e100) or NULL")
}

# `names` of the columns are for the function to see.
function_view <- function(f, columns, names = NULL) {
  list(name = kernel_name(f), `function` = f, columns = columns, inputs = names,
       gamma = NA_real_)
}

object_view <- function(entry, where, x, blueprint) {
  check_object_entry(entry, where)
  check_one_gamma(entry$gamma)
  function_view(entry_objects(entry, where, x, blueprint)[[1L]], seq_len(ncol(x)))
}

# The Gram matrices of functions; at prediction they are called again.
with_values <- function(views, x, s) {
  lapply(seq_along(views), function(i) {
    f <- views[[i]][["function"]]
    if (is.null(f)) return(views[[i]])
    where <- mekl_where(views)[i]
    seen <- x[, views[[i]]$columns, drop = FALSE]
    values <- kernel_values(f, seen, seen, where, s, views[[i]]$inputs)
    if (max(abs(values - t(values))) > 1e-8 * max(abs(values))) {
      abort("`", where, "` is not symmetric: f(a, b) must be t(f(b, a)).", arg = "kernels")
    }
    c(views[[i]], list(values = values))
  })
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
