# Arguments that change nothing in the fit that was asked for. Lost without a word, they would make
# a search over their values choose at random.

# The settings `s` of a fit, and the names of those that its call gives; NULL and "auto" leave one
# to the fit.
with_given <- function(s, call) {
  is_given <- function(arg) !is.null(s[[arg]]) && !identical(s[[arg]], "auto")
  given <- Filter(is_given, intersect(names(call), names(s)))
  c(s, list(given = given))
}

# `idle`: for each argument that has no meaning here what for, and the way out (NULL: it has one).
# What was given is refused; but a call may repeat the defaults, as those written for other packages
# do, and gets one message.
refuse_idle <- function(s, idle, fitter) {
  idle <- idle[!vapply(idle, is.null, NA)]
  at <- intersect(s$given, names(idle))
  for (arg in at) {
    if (is_default(s[[arg]], fitter, arg)) next
    abort("`", arg, "` has no meaning for ", idle[[arg]][1L], "; ", idle[[arg]][2L], ".", arg = arg)
  }
  if (length(at) == 0L) return(invisible())
  where <- unique(vapply(idle[at], `[`, "", 1L))
  message(name_list(at), plural(length(at), " is at its default", " are at their defaults"),
          ", which ", plural(length(at), "has", "have"), " no meaning for ",
          paste(where, collapse = " and "), ".")
}

is_default <- function(value, fitter, arg) {
  isTRUE(all.equal(value, eval(formals(fitter)[[arg]])[1L], check.attributes = FALSE))
}

quote_value <- function(arg, value) paste0(arg, " = ", dQuote(value, FALSE))

# ---- vpsvm() -------------------------------------------------------------------------------------

idle_in_vpsvm <- function(s, one_pair) {
  kernel <- if (is.null(s$hierarchy)) quote_value("kernel", s$kernel) else "an hg_kernel() object"
  parts <- if (s$kernel != "polynomial") c(kernel, 'use kernel = "polynomial" or leave it out')
  list(
    epsilon = if (s$loss != "epsilon") {
      c(quote_value("loss", s$loss), 'use loss = "epsilon" or leave it out')
    },
    degree = parts, coef0 = parts,
    refine = if (one_pair && !identical(s$refine, FALSE)) {
      c("one pair of parameters, with which nothing is searched",
        "give several values of `gamma` or `lambda`, or leave it out")
    },
    validation = if (s$folds == 0) {
      c("one pair of parameters without `folds`", "give `folds` too or leave it out")
    },
    overlap = if (identical(s$partition, "random") || identical(s$partition, "none")) {
      c(quote_value("partition", s$partition), "leave it out")
    } else if (isTRUE(s$cells == 1)) {
      c("one cell", "leave it out")
    }
  )
}

idle_for_task <- function(s, outcome) {
  list(multiclass = if (outcome$task == "regression") c("regression", "leave it out"))
}

# ---- hgsvm() -------------------------------------------------------------------------------------

idle_in_hgsvm <- function(s) {
  anneal <- s$optimizer == "anneal"
  by <- c(quote_value("optimizer", s$optimizer), "choose another or leave it out")
  once <- if (s$rounds == 1) c(paste(by[1L], "with one start"), "raise `rounds` or leave it out")
  list(
    cycles = if (!anneal) by, anneal = if (!anneal) by, descent = if (!anneal) by,
    temperature = if (!anneal) by, restart = if (!anneal) by else once,
    spread = if (!anneal) once, steps = if (anneal) by, patience = if (anneal) by,
    batch = if (s$optimizer != "adam") by, rate = if (s$optimizer != "adam") by
  )
}

# ---- kbp() and kos() -----------------------------------------------------------------------------

idle_in_kbp <- function(s) {
  reading <- Filter(reads_bandwidths, named_entries(s$kernels))
  widths <- lapply(reading, function(e) e$bandwidths %||% s$bandwidths)
  own <- vapply(reading, function(e) !is.null(e$bandwidths), NA)
  list(
    bandwidths = if (all(own)) {
      c("these `kernels`, which have no bandwidth or one of their own", "leave it out")
    },
    key = if (!any(vapply(widths, is.character, NA))) {
      c("bandwidths that are given", "leave it out")
    },
    trap.type = if (s$stop != "random" || is.matrix(s$traps)) {
      c(if (s$stop == "random") "`traps` that are given" else quote_value("stop", s$stop),
        'use stop = "random" with a number of `traps`, or leave it out')
    },
    last.step = if (s$method %in% c("omp", "prefit")) {
      c(paste0(quote_value("method", s$method), ", where every step is a least-squares fit"),
        "leave it out")
    }
  )
}

reads_bandwidths <- function(entry) {
  is.character(entry$kernel) && entry$kernel %in% c("radial", "laplace") && is.null(entry$gamma)
}

idle_in_kos <- function(s) {
  list(energy = if (!is.null(s$rank)) c("a given `rank`", "give one of them"))
}

# ---- rmekl() and its family ----------------------------------------------------------------------

idle_in_mekl <- function(s) {
  entries <- mekl_entries(s$kernels, s$method)
  one <- if (length(entries) == 1L) c("one kernel, which has nothing to agree with", "leave it out")
  list(
    lambda = one, w.update = one,
    rho = if (identical(s$b.update, "exact")) {
      c('b.update = "exact"', 'use "ho-kashyap" or leave it out')
    },
    rbf.scale = if (!any(mapply(finds_width, entries, mekl_where(entries)))) {
      c("kernels without a width to find", "leave it out")
    }
  )
}

# Whether a kernel is radial and its width left to `rbf.scale`.
finds_width <- function(entry, where) {
  entry <- mekl_entry(entry, where)
  is.character(entry$kernel) && isTRUE(pmatch(entry$kernel, "radial") == 1L) &&
    is.null(entry$gamma)
}
