# The dictionary: what the user calls kernels becomes a list of blocks, one for each kernel and
# bandwidth. x holds the scaled rows.

kernel_blocks <- function(s, x, input) {
  entries <- named_entries(s$kernels)
  check_values_memory(entries, nrow(x), s)
  blocks <- list()
  for (i in seq_along(entries)) {
    own <- entry_blocks(entries[[i]], names(entries)[i], s, x, input)
    blocks <- c(blocks, lapply(own, function(b) if (isTRUE(b$automatic)) c(b, series = i) else b))
  }
  blocks
}

# Entries with their parts by name, each named by its place in `kernels`.
named_entries <- function(kernels) {
  entries <- kernel_entries(kernels)
  where <- if (length(entries) > 1L) paste0("kernels[[", seq_along(entries), "]]") else "kernels"
  stats::setNames(Map(kernel_entry, entries, where), where)
}

# The values of functions and hg_kernel() objects are held as they are.
check_values_memory <- function(entries, n, s) {
  count <- sum(vapply(entries, function(e) {
    if (is_kernel_object(e$kernel)) max(1L, length(e$gamma)) else as.integer(is.function(e$kernel))
  }, 1L))
  needed <- 8 * n^2 * count
  if (needed <= s$memory) return(invisible())
  abort("The values of ", count, plural(count, " kernel"), " given as a function or hg_kernel() ",
        "at ", n, " rows need ", format_bytes(needed), ", more than the budget of ",
        format_bytes(s$memory), "; raise `memory` or take fewer rows.", arg = "memory")
}

# One kernel is a list of one.
kernel_entries <- function(kernels) {
  single <- is.function(kernels) || is.matrix(kernels) || is_kernel_object(kernels) ||
    is.list(kernels) && !is.null(names(kernels)) && "kernel" %in% names(kernels)
  if (single) return(list(kernels))
  if (is.character(kernels) && length(kernels) && !anyNA(kernels)) return(as.list(kernels))
  if (is.list(kernels) && length(kernels) && !is.object(kernels)) return(unname(kernels))
  abort_arg("kernels", kernels, "a kernel or a list of kernels")
}

kernel_words <- c("radial", "laplace", "polynomial", "linear")

# An entry as a list with its parts by name.
kernel_entry <- function(entry, where) {
  if (!is.list(entry) || is.object(entry)) entry <- list(kernel = entry)
  parts <- c("kernel", "columns", "bandwidths", "gamma", "degree", "coef0")
  entry <- named_parts(entry, parts, where)
  k <- entry$kernel
  if (is.character(k)) entry$kernel <- check_choice(k, kernel_words, where)
  if (is_kernel_object(k)) return(entry)
  if (is.character(k) || is.function(k) || is.matrix(k) && is.numeric(k)) {
    return(check_entry_parts(entry, where))
  }
  abort_arg(where, k, paste0("one of ", paste0('"', kernel_words, '"', collapse = ", "),
                             ", a function, a numeric matrix or an hg_kernel() object"))
}

# Parts without a name are the kernel and then its columns; NULL is as good as left out.
named_parts <- function(entry, parts, where) {
  if (is.null(names(entry))) names(entry) <- character(length(entry))
  free <- setdiff(c("kernel", "columns"), names(entry))
  blank <- utils::head(which(!nzchar(names(entry))), length(free))
  names(entry)[blank] <- free[seq_along(blank)]
  unknown <- setdiff(names(entry), parts)
  if (length(unknown)) {
    abort("`", where, "` has the unknown part ", name_list(unknown), "; known are ",
          name_list(parts, 6L), ".", arg = "kernels")
  }
  entry[!vapply(entry, is.null, NA)]
}

# The parts that a kernel reads; another one would be lost on it.
check_entry_parts <- function(entry, where) {
  k <- entry$kernel
  kind <- if (is.character(k)) k else if (is.function(k)) "function" else "matrix"
  read <- switch(kind, radial = , laplace = c("columns", "bandwidths", "gamma"),
                 polynomial = c("columns", "gamma", "degree", "coef0"), matrix = NULL, "columns")
  refuse_lost(setdiff(names(entry), c("kernel", read)), k, kind, where)
  if (is.null(entry$gamma) || is.null(entry$bandwidths)) return(entry)
  abort("`", where, "` has both `gamma` and `bandwidths`; give one of them.", arg = "kernels")
}

refuse_lost <- function(lost, kernel, kind, where) {
  if (length(lost) == 0L) return(invisible())
  abort("`", where, "` has ", name_list(lost), ", of which ",
        if (is.character(kernel)) paste("the kernel", dQuote(kernel, FALSE)) else
          with_article(kind),
        " makes no use; leave ", plural(length(lost), "it", "them"), " out.", arg = "kernels")
}

entry_blocks <- function(entry, where, s, x, input) {
  if (is_kernel_object(entry$kernel)) {
    kernels <- entry_objects(entry, where, x, input$blueprint)
    return(lapply(kernels, function(k) function_block(k, seq_len(ncol(x)), where, s, x)))
  }
  columns <- seen_columns(entry$columns, where, input$blueprint)
  if (is.matrix(entry$kernel)) {
    return(list(list(name = "given", values = given_values(entry$kernel, where, input))))
  }
  if (is.function(entry$kernel)) {
    return(list(function_block(entry$kernel, columns, where, s, x,
                               input$blueprint$names[columns])))
  }
  numbers <- list(degree = entry$degree %||% 3, coef0 = entry$coef0 %||% 0)
  do.call(check_args, numbers)
  base <- c(list(name = entry$kernel, kernel = entry$kernel, columns = columns), numbers)
  if (entry$kernel %in% c("linear", "polynomial")) {
    check_entry_gamma(entry$gamma)
    gammas <- entry$gamma %||% switch(entry$kernel, linear = 1, 1 / length(columns))
    return(lapply(gammas, function(gamma) {
      base$gamma <- gamma
      check_kernel_range(x[, columns, drop = FALSE], base, NULL)
      base
    }))
  }
  automatic <- is.null(entry$gamma) && identical(entry$bandwidths %||% s$bandwidths, "auto")
  lapply(entry_bandwidths(entry, s, x[, columns, drop = FALSE]), function(width) {
    gamma <- if (entry$kernel == "radial") 1 / (2 * width^2) else 1 / width
    c(base, list(gamma = gamma, bandwidth = width, automatic = automatic))
  })
}

# Bandwidths of the entry, of all, or the automatic series.
entry_bandwidths <- function(entry, s, x) {
  if (!is.null(entry$gamma)) {
    check_entry_gamma(entry$gamma)
    return(if (entry$kernel == "radial") sqrt(1 / (2 * entry$gamma)) else 1 / entry$gamma)
  }
  widths <- entry$bandwidths %||% s$bandwidths
  check_bandwidths(widths)
  if (is.numeric(widths)) widths else automatic_bandwidths(x, s, widths)
}

# From the key bandwidth by factors of 3 to half the diameter, at most 15: the paper's series.
# Ours begins where a kernel reaches several rows, and takes two steps for one.
automatic_bandwidths <- function(x, s, widths) {
  d <- key_distances(x, s)
  key <- key_bandwidth(if (s$key == "min") d[["least"]] else d[["median"]])
  ratio <- if (widths == "paper") 3 else sqrt(3)
  last <- if (widths == "paper") key else 3 * sqrt(3) * key
  series <- last
  while (last < d[["diameter"]] / 2 && last < key * 3^14) {
    last <- last * ratio
    series <- c(series, last)
  }
  series
}

# Numbers only: a rule or an object belongs to the columns of the whole model.
check_entry_gamma <- function(gamma) {
  if (is.null(gamma) || is_positive(gamma)) return(invisible())
  abort_arg("gamma", gamma, paste(positive$want, "or NULL"), is_positive)
}

# exp(-D^2 / (2 sigma^2)) = 0.001 (equation (13) of the paper)
key_bandwidth <- function(distance) distance / sqrt(-2 * log(0.001))

key_distances <- function(x, s, exact = s$key == "min") {
  d <- fk_key_distances(x, 2000L, exact, s[c("threads", "memory", "verbose")])
  if (d[["diameter"]] > 0) return(d)
  abort("`x` has no two distinct rows, so that no bandwidth can be derived from it; check `x` or ",
        "give `bandwidths`.", arg = "x")
}

seen_columns <- function(columns, where, blueprint) {
  if (is.null(columns)) return(seq_along(blueprint$names))
  names <- blueprint$columns %||% paste0("V", seq_len(blueprint$p))
  if (!is.null(blueprint$terms)) names <- blueprint$names
  at <- if (is.character(columns)) match(columns, names) else columns
  if (!is.numeric(at) || length(at) == 0L || anyNA(at) || !all(at %in% seq_along(names))) {
    abort("`", where, "` asks for columns that `x` does not have; it has ", name_list(names), ".",
          arg = "kernels")
  }
  unlist(lapply(unique(at), function(j) which(blueprint$source == j)))
}

# The matrices among the kernels.
given_matrices <- function(s) {
  kernels <- lapply(kernel_entries(s$kernels), function(e) kernel_entry(e, "kernels")$kernel)
  Filter(is.matrix, kernels)
}

# Their rows that na.action left.
kept_rows <- function(matrices, input) {
  if (length(input$na.action) == 0L) return(matrices)
  lapply(matrices, function(v) v[-input$na.action, , drop = FALSE])
}

given_values <- function(values, where, input) {
  all_rows <- input$rows + length(input$na.action)
  if (nrow(values) != all_rows || ncol(values) == 0L) {
    abort("`", where, "` is a matrix of ", nrow(values), " x ", ncol(values), ", but `x` has ",
          all_rows, " rows; give one row of sources for each.", arg = "kernels")
  }
  values <- kept_rows(list(values), input)[[1L]][input$from, , drop = FALSE]
  stop_not_finite(values, where)
  storage.mode(values) <- "double"
  unname(values)
}

# `names` of the columns are for the function to see.
function_block <- function(f, columns, where, s, x, names = NULL) {
  x <- x[, columns, drop = FALSE]
  list(name = kernel_name(f), `function` = f, where = where, columns = columns, inputs = names,
       owner = seq_len(nrow(x)), values = kernel_values(f, x, x, where, s, names))
}

# A function of two matrices, or an hg_kernel() object on all columns of the design.
kernel_name <- function(f) if (is_kernel_object(f)) "hierarchical" else "function"

kernel_values <- function(f, a, b, where, options = list(), names = NULL) {
  if (nrow(a) == 0L) return(matrix(0, 0L, nrow(b)))
  if (is_kernel_object(f)) {
    return(hg_gram(f, a, b, threads = options$threads, memory = options$memory))
  }
  if (!is.null(names)) colnames(a) <- colnames(b) <- names
  values <- tryCatch(f(a, b), error = function(e) {
    abort("The function `", where, "` failed: ", reason(e), ".", arg = "kernels")
  })
  if (!is.numeric(values) || !identical(dim(values), c(nrow(a), nrow(b)))) {
    abort("The function `", where, "` must return a matrix of ", nrow(a), " x ", nrow(b),
          ", one row for each row of its first argument, not ", describe(values), ".",
          arg = "kernels")
  }
  stop_not_finite(values, where)
  storage.mode(values) <- "double"
  unname(values)
}

stop_not_finite <- function(values, where) {
  bad <- sum(!is.finite(values))
  if (bad == 0L) return(invisible())
  abort("`", where, "` gives ", bad, plural(bad, " value"), " that ", plural(bad, "is", "are"),
        " not finite; kernel values must be finite numbers.", arg = "kernels")
}

# ---- intercept and traps -------------------------------------------------------------------

intercept_block <- function(s, n) {
  if (s$intercept == "center") return(list())
  list(list(name = "intercept", values = matrix(0, n, 1L), intercept = TRUE))
}

trap_blocks <- function(s, x, input, seed) {
  if (s$stop == "trap") {
    if (s$bound_asked && s$bound >= nrow(x)) stop_never(s, nrow(x), " trap", " traps")
    width <- s$traps %||% key_bandwidth(key_distances(x, s, exact = TRUE)[["least"]])
    return(list(list(name = "trap", kernel = "radial", columns = seq_len(ncol(x)),
                     gamma = 1 / (2 * width^2), bandwidth = width, trap = TRUE)))
  }
  if (s$stop != "random") return(list())
  values <- if (is.matrix(s$traps)) given_values(s$traps, "traps", input) else
    fk_random_traps(nrow(x), s$traps %||% 15L, s$trap.type == "uniform", seed)
  varies <- sum(vapply(seq_len(ncol(values)), function(j) any(values[, j] != values[1L, j]), NA))
  if (s$bound >= varies) stop_never(s, varies, " trap that is not constant", " traps that vary")
  list(list(name = "trap", values = values, trap = TRUE))
}

stop_never <- function(s, there, one, many) {
  more <- if (s$stop == "random") " or give more `traps`"
  abort("`bound` = ", s$bound, ' for stop = "', s$stop, '" is never exceeded by ', there,
        plural(there, one, many), "; lower `bound`", more, ".", arg = "bound")
}
