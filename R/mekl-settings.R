# From the arguments of rmekl(), mhks(), kmhks() and svm2k() to checked settings and to the options
# of the core.

mekl_grid <- 2^(-4:4)

mekl_choices <- list(
  basis = c("elimination", "cholesky", "random", "full"), rbf.scale = c("variance", "sigma"),
  multiclass = c("ovo", "ovr"), b.update = c("ho-kashyap", "exact"),
  w.update = c("simultaneous", "sequential"), criterion = c("relative", "absolute"),
  type = c("auto", "classification")
)

mekl_settings <- function(s, method, folds_asked) {
  s$method <- method
  for (arg in intersect(names(mekl_choices), names(s))) {
    s[[arg]] <- check_choice(s[[arg]], mekl_choices[[arg]], arg)
  }
  s$device <- check_device(s$device)
  checked <- setdiff(intersect(names(s), names(vocabulary)), if (is.null(s$tol)) "tol")
  check_values(s[checked])
  s["threads"] <- resolve_threads(s$threads)
  s["memory"] <- resolve_memory(s$memory)
  s$folds_asked <- folds_asked
  mekl_penalties(s)
}

# The two parameters of each method; several values of one are compared by cross-validation.
mekl_penalties <- function(s) {
  values <- switch(
    s$method,
    rmekl = list(c = s$c %||% mekl_grid, lambda = s$lambda %||% mekl_grid),
    svm2k = list(cost = s$cost %||% mekl_grid, D = s$D %||% mekl_grid),
    list(c = s$c %||% mekl_grid, lambda = 1)
  )
  s$penalties <- lapply(values, function(v) unique(as.numeric(v)))
  s$searched <- prod(lengths(s$penalties)) > 1
  s
}

# What can only be checked with the data at hand.
mekl_data_settings <- function(s, outcome) {
  n <- length(outcome$code)
  if (!s$searched && !s$probability) {
    s$folds <- 0
    return(s)
  }
  if (s$folds > n && s$folds_asked) {
    abort("`folds` = ", s$folds, " exceeds the ", n, " rows.", arg = "folds")
  }
  s$folds <- min(s$folds, n)
  warn_single_class(outcome)
  s
}

mekl_core_options <- function(s, outcome, fold, seed) {
  list(
    classes = length(outcome$classes), multiclass = s$multiclass, svm2k = s$method == "svm2k",
    basis = s$basis, tol = s$tol, max_rank = if (!is.null(s$max.rank)) as.integer(s$max.rank),
    rho = s$rho, margin = s$b.start, margins = s$b.update, updates = s$w.update, xi = s$xi,
    criterion = s$criterion, max_iter = as.integer(s$max.iter), share = s$balance,
    epsilon = s$epsilon, first = s$penalties[[1L]], second = s$penalties[[2L]], fold = fold,
    threads = s$threads, memory = s$memory, isa = resolve_isa(), seed = seed,
    verbose = s$verbose
  )
}

# ---- memory --------------------------------------------------------------------------------------

# The largest group of rows, and how many are worked on at a time.
check_mekl_memory <- function(s, outcome, views) {
  counts <- sort(tabulate(outcome$code, length(outcome$classes)), decreasing = TRUE)
  pairs <- if (s$multiclass == "ovo") length(counts) * (length(counts) - 1) / 2 else 1
  n <- if (s$multiclass == "ovo") sum(counts[1:2]) else sum(counts)
  at.once <- min(pairs, s$threads)
  ranks <- vapply(views, mekl_rank_bound, 0, n)
  if (!is.null(s$max.rank)) ranks <- pmin(ranks, s$max.rank)
  numbers <- if (s$method == "svm2k") 6 * n^2 else if (s$basis == "cholesky")
    3 * n * sum(ranks) + max(ranks)^2 else 2 * n^2 + 3 * n * sum(ranks)
  needed <- 8 * at.once * numbers
  if (needed <= s$memory) return(invisible())
  abort(if (s$method != "svm2k") paste0('basis = "', s$basis, '" with '), n,
        " rows of ", length(views), plural(length(views), " kernel"), " may need ",
        format_bytes(needed), " of memory, more than the budget of ", format_bytes(s$memory), "; ",
        mekl_remedy(s), "raise `memory`.", arg = "memory")
}

mekl_remedy <- function(s) {
  if (s$method != "rmekl") return("use fewer rows, or ")
  if (s$basis == "cholesky") "lower `max.rank`, or " else
    'use basis = "cholesky" with a `max.rank`, or '
}

mekl_rank_bound <- function(view, n) {
  d <- length(view$columns)
  bound <- switch(view$name, linear = d, polynomial = choose(d + view$degree, view$degree), n)
  min(bound, n)
}
