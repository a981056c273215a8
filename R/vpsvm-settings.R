# From the arguments of vpsvm() to checked settings and to the options of the core.

vpsvm_settings <- function(s, folds_asked) {
  s$partition <- check_choice(s$partition, c("auto", "voronoi", "random", "none"), "partition")
  s <- kernel_settings(s)
  s <- loss_settings(s)
  s$offset <- check_choice(s$offset, c("auto", "none", "constant"), "offset")
  if (identical(s$clip, "auto")) s$clip <- s$kernel == "radial"
  s$validation <- check_choice(s$validation, c("cv", "split", "split.cells"), "validation")
  s$final <- check_choice(s$final, c("auto", "average", "refit"), "final")
  s$search <- check_choice(s$search, c("race", "full"), "search")
  s$device <- check_device(s$device)
  check_values(s[intersect(names(s), names(vocabulary))])
  s["threads"] <- resolve_threads(s$threads)
  s["memory"] <- resolve_memory(s$memory)
  if (!is.null(s$lambda) && !is.null(s$cost)) {
    abort("`lambda` and `cost` are two forms of the same penalty; give one of them.", arg = "cost")
  }
  if (s$kernel == "linear" && !is.null(s$gamma)) {
    abort('`gamma` has no meaning for kernel = "linear"; leave it out.', arg = "gamma")
  }
  check_gamma_kernel(s$gamma, if (is.null(s$hierarchy)) s$kernel else "hg_kernel()")
  if (s$kernel == "polynomial" && s$coef0 < 0) {
    abort("`coef0` must be at least 0, not ", format(s$coef0), ": the polynomial kernel is not ",
          "positive definite otherwise.", arg = "coef0")
  }
  grid <- c("gamma", "lambda", "cost")
  s[grid] <- lapply(s[grid], function(v) if (is.numeric(v)) unique(v) else v)
  one_pair <- (s$kernel != "radial" && is.null(s$gamma) || is_one_gamma(s$gamma)) &&
    length(c(s$lambda, s$cost)) == 1L
  if (one_pair && !folds_asked) {
    s$final <- "refit"
    if (!s$probability) s$folds <- 0
  }
  refuse_idle(s, idle_in_vpsvm(s, one_pair), vpsvm.default)
  s
}

# A kernel object takes the place of the squared distance in the radial kernel.
kernel_settings <- function(s) {
  words <- c("radial", "polynomial", "linear")
  if (is.factor(s$kernel)) s$kernel <- as.character(s$kernel)
  if (is_kernel_object(s$kernel)) {
    s$hierarchy <- s$kernel
    s$kernel <- "radial"
  } else if (is.character(s$kernel)) {
    s$kernel <- check_choice(s$kernel, words, "kernel")
  } else {
    abort_arg("kernel", s$kernel, paste("one of", paste0('"', words, '"', collapse = ", "),
                                        "or an hg_kernel() object"))
  }
  s
}

# Up to so many rows the automatic partition is one cell; beyond, cells have at most so many.
whole_rows <- 4000
split_rows <- 1500

# `radius`, `cells` and `max.cell` are three ways to say how large a cell is.
check_cell_size <- function(s, n) {
  if (!is.null(s$radius) && s$partition %in% c("random", "none")) {
    abort('`radius` has no meaning for partition = "', s$partition, '"; use "voronoi".',
          arg = "radius")
  }
  if (!is.null(s$cells) && s$cells > n) {
    abort("`cells` = ", s$cells, " exceeds the ", n, " rows.", arg = "cells")
  }
  given <- c("radius", "cells", "max.cell")
  given <- given[!vapply(s[given], is.null, NA)]
  if (s$partition == "none" && length(given) && !isTRUE(s$cells == 1)) {
    abort("`", given[1L], "` = ", s[[given[1L]]], ' contradicts partition = "none".',
          arg = given[1L])
  }
  if (length(given) > 1L) {
    abort("`", given[1L], "` and `", given[2L], "` both say how large cells are; give one of them.",
          arg = given[2L])
  }
}

# Which partition is made: one of the core's types, with what bounds it.
partition_plan <- function(s, n) {
  check_cell_size(s, n)
  sized <- !is.null(s$radius) || (!is.null(s$cells) && s$cells > 1)
  type <- s$partition
  max_cell <- s$max.cell %||% if (n <= whole_rows) whole_rows else split_rows
  whole <- n <= max_cell || !is.null(s$cells)
  if (type == "auto" && !sized) type <- if (whole) "none" else "bounded"
  if (type == "auto") type <- "voronoi"
  if (type == "voronoi" && !sized) type <- if (is.null(s$cells)) "bounded" else "none"
  cells <- s$cells
  if (type == "random" && is.null(cells)) cells <- ceiling(n / max_cell)
  list(type = type, radius = s$radius, cells = cells, max_cell = max_cell,
       first = if (type == "voronoi") s$first, min_cell = max(10, 2 * s$folds),
       overlap = s$overlap %||% if (type == "bounded") 1 else 0)
}

# The first center, a row of the training data, among the rows of positive weight.
first_center <- function(s, given) {
  n <- nrow(given$x)
  if (is.null(s$first)) return(NULL)
  used <- if (is.null(given$weights)) seq_len(n) else which(given$weights > 0)
  plan <- partition_plan(s, length(used))
  if (plan$type != "voronoi") {
    abort("`first` is the first center of Voronoi cells of a radius or number; give `radius` or ",
          "`cells` too.", arg = "first")
  }
  if (!s$first %in% used) {
    abort("`first` = ", s$first, if (s$first > n) paste(" exceeds the", n, "rows.") else
      " is a row of weight 0, which no cell sees; choose another.", arg = "first")
  }
  match(s$first, used)
}

make_partition <- function(x, s, seed) {
  plan <- partition_plan(s, nrow(x))
  part <- from_core(fk_partition(x, c(plan, s[c("threads", "memory", "verbose")], seed = seed)))
  part$type <- plan$type
  part$size <- tabulate(part$cell)
  part$overlap <- if (sum(lengths(part$margin))) plan$overlap else 0
  part
}

# What the core throws becomes an error like all others, with the way out.
from_core <- function(value) {
  sentence <- function(e) sub("^(.)", "\\U\\1", reason(e), perl = TRUE)
  tryCatch(
    value,
    "flexkern::MemoryBudgetError" = function(e) {
      said <- sentence(e)
      less <- if (startsWith(said, "A cell")) {
        "use more cells (`max.cell`, `cells` or a smaller `radius`) or "
      } else if (startsWith(said, "Learning")) {
        "use a smaller `learn.rows` or "
      }
      abort(said, "; ", less, "raise `memory`.", arg = "memory")
    },
    "C++Error" = function(e) abort(sentence(e), ".")
  )
}

# The kernel is computed in single precision: values beyond its range would not be numbers.
check_kernel_range <- function(x, s, shift) {
  if (!is.null(s$nodes)) return(invisible())
  largest <- max(abs(entries(x)), 0)
  square <- if (is.finite(largest^2)) (sqrt(max(squared_norms(x))) + sqrt(sum(shift^2)))^2 else Inf
  value <- switch(s$kernel, radial = 4 * square, linear = square,
                  polynomial = (s$gamma * square + abs(s$coef0))^s$degree)
  if (max(value) < 1e37) return(invisible())
  abort("The ", s$kernel, " kernel", if (s$kernel != "linear" && !is.null(s$gamma))
    paste0(" with gamma = ", format(max(s$gamma), digits = 4)),
    " overflows: x has values up to ", format(largest, digits = 3),
    '; use scale = "range" or smaller values.', arg = "x")
}

core_options <- function(s, seed, shift = NULL) {
  list(
    loss = s$loss, tau = s$tasks$tau, epsilon = s$core.epsilon, response_weights = s$tasks$own,
    dual = s$tasks$dual, lead = (s$tasks$lead %||% 0L) - 1L,
    labels = s$labels, each = !is.null(s$tasks$lead) || !is.null(s$tasks$pairs),
    kernel = s$kernel, degree = as.integer(s$degree), coef0 = s$coef0,
    constant = s$constant, gamma = s$gamma, lambda = s$lambda, cost = s$cost,
    folds = as.integer(s$folds), validation = s$validation,
    final = s$final, clip = if (s$clip) c(-1, 1), search = s$search,
    search_rows = s$search.rows, refine = s$refine, tol = s$tol,
    max_iter = as.integer(s$max.iter), threads = s$threads, memory = s$memory, device = s$device,
    isa = resolve_isa(), seed = seed, verbose = s$verbose,
    shift = shift, nodes = s$nodes, label = s$label
  )
}

# What is added to the kernel, so that the functions have a constant: as large as the kernel's
# values of a row with itself are on average; for a polynomial at gamma = 1.
kernel_constant <- function(s, x, shift, weights) {
  if (s$offset == "none") return(0)
  if (s$kernel == "radial") return(1)
  size <- stats::weighted.mean(shifted_squares(x, shift), weights %||% rep(1, nrow(x)))
  if (size == 0) 1 else size^switch(s$kernel, linear = 1, s$degree)
}

# |x - shift|^2 of each row.
shifted_squares <- function(x, shift) {
  square <- squared_norms(x)
  if (is.null(shift)) return(square)
  pmax(0, square - 2 * as.vector(x %*% shift) + sum(shift^2))
}
