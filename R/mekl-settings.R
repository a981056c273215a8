# From the arguments of rmekl(), mhks(), kmhks() and svm2k() to checked settings and to the options
# of the core.

# Where no values are given. The search adds values beyond an edge at which the least loss lies.
mekl_grid <- 2^(-4:4)

mekl_choices <- list(
  basis = c("elimination", "cholesky", "random", "full"), rbf.scale = c("variance", "sigma"),
  multiclass = c("ovo", "ovr"), b.update = c("ho-kashyap", "exact"),
  w.update = c("simultaneous", "sequential"), criterion = c("relative", "absolute"),
  type = c("auto", "classification"), root = c("cholesky", "symmetric"),
  bias = c("penalized", "free")
)

mekl_settings <- function(s, method, folds_asked) {
  s$method <- method
  for (arg in intersect(names(mekl_choices), names(s))) {
    s[[arg]] <- check_choice(s[[arg]], mekl_choices[[arg]], arg)
  }
  s$device <- check_device(s$device)
  checked <- setdiff(intersect(names(s), names(vocabulary)), if (is.null(s$tol)) "tol")
  check_values(s[checked])
  if (identical(s$root, "symmetric") && s$basis == "full") {
    abort('`root` = "symmetric" has no meaning for basis = "full", whose map comes from ',
          "eigenvectors; leave it out.", arg = "root")
  }
  s["threads"] <- resolve_threads(s$threads)
  s["memory"] <- resolve_memory(s$memory)
  s$folds_asked <- folds_asked
  s <- mekl_penalties(s)
  refuse_idle(s, idle_in_mekl(s), get(paste0(method, ".default")))
  s
}

# The two parameters of each method; several values of one are compared by cross-validation. One
# kernel has nothing to agree with.
mekl_penalties <- function(s) {
  values <- switch(
    s$method,
    rmekl = list(c = s$c, lambda = s$lambda),
    svm2k = list(cost = s$cost, D = s$D),
    list(c = s$c, lambda = 1)
  )
  if (s$method == "rmekl" && length(mekl_entries(s$kernels, "rmekl")) == 1L) {
    values$lambda <- values$lambda %||% 1
  }
  s$open <- vapply(values, is.null, NA)
  s$penalties <- lapply(values, function(v) unique(as.numeric(v %||% mekl_grid)))
  s$searched <- prod(lengths(s$penalties)) > 1
  s
}

# What can only be checked with the data at hand.
mekl_data_settings <- function(s, outcome) {
  n <- length(outcome$code)
  if (!s$searched && !s$probability && !s$folds_asked) {
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
    epsilon = s$epsilon, bias = s$bias, root = s$root,
    first = s$penalties[[1L]], second = s$penalties[[2L]],
    first_open = s$open[[1L]], second_open = s$open[[2L]], fold = fold,
    threads = s$threads, memory = s$memory, isa = resolve_isa(), seed = seed,
    verbose = s$verbose, label = s$label
  )
}

# ---- memory --------------------------------------------------------------------------------------

# Refuses what exceeds the budget; what is needed goes into the progress messages.
check_mekl_memory <- function(s, outcome, views) {
  counts <- sort(tabulate(outcome$code, length(outcome$classes)), decreasing = TRUE)
  rest <- s$multiclass == "ovr" || length(counts) == 2L
  n <- if (rest) sum(counts) else sum(counts[1:2])
  machines <- if (length(counts) == 2L) 1 else
    if (rest) length(counts) else length(counts) * (length(counts) - 1) / 2
  # Groups that are worked on at a time, each with so many machines.
  groups <- if (rest) 1 else min(machines, s$threads)
  inside <- if (rest) machines else 1
  given <- sum(vapply(views, function(v) is.null(v$kernel), NA)) * 3 * sum(counts)^2
  needed <- 8 * (given + groups * mekl_numbers(s, views, n, inside,
                                               if (groups == 1) s$threads else 1))
  if (needed > s$memory) {
    abort(if (s$method != "svm2k") paste0('basis = "', s$basis, '" with '), n,
          " rows of ", length(views), plural(length(views), " kernel"), " may need ",
          format_bytes(needed), " of memory, more than the budget of ", format_bytes(s$memory),
          "; ", mekl_remedy(s), "raise `memory`.", arg = "memory")
  }
  paste0("fit, ", machines, plural(machines, " machine"), ", at most ", format_bytes(needed),
         " of memory")
}

# Numbers that a group of n rows holds at its peak: its maps, and either what makes them or the
# machines that are solved at a time, beside the models of all folds.
mekl_numbers <- function(s, views, n, machines, threads) {
  r <- vapply(views, mekl_rank_bound, 0, n)
  if (s$method == "svm2k") r <- pmin(n, r + 1)
  if (!is.null(s$max.rank)) r <- pmin(r, s$max.rank)
  most <- max(r)
  folds <- max(s$folds, 1)
  # Of both axes growing at once there may be half as many pairs again.
  pairs <- prod(lengths(s$penalties)) * if (all(s$open)) 1.5 else 1
  models <- pairs * folds * machines * (n + sum(r))
  at.once <- min(threads, folds * machines)
  if (s$method == "svm2k") {
    return(n * sum(r) + max(2.5 * n^2, at.once * (n * sum(r) + sum(r)^2 + n * most) + models))
  }
  maps <- sum(2 * n * r + r^2)
  making <- switch(s$basis, elimination = n^2 + 3 * most^2 + 2 * n * most,
                   cholesky = 4 * n * most + 2 * most^2, 5 * n^2)
  turned <- if (s$searched) sum(2 * n * r) + 2 * n * most else 0
  columns <- if (s$searched) 27 else 1
  solving <- sum(2 * r^2) + most^2 + turned + 3 * n * columns * (length(r) + 1)
  maps + max(making, at.once * solving + models)
}

mekl_remedy <- function(s) {
  if (s$method != "rmekl") return("use fewer rows, or ")
  if (s$basis == "cholesky") "lower `max.rank`, or " else
    'use basis = "cholesky" with a `max.rank`, or '
}

mekl_rank_bound <- function(view, n) {
  d <- length(view$columns)
  bound <- switch(kernel_word(view), linear = d, polynomial = choose(d + view$degree, view$degree),
                  n)
  min(bound, n)
}
