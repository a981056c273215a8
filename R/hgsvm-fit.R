# The fit: architectures, their weights, a machine under each learned kernel, the best one.

hgsvm_fit <- function(input, s) {
  started <- proc.time()[["elapsed"]]
  if (is_sparse(input$x)) {
    abort("hgsvm() takes no sparse matrix; if it fits in memory, give as.matrix(x).", arg = "x")
  }
  s$seed <- draw_seed(s$seed)
  ready <- learning_data(input, s)
  kernels <- fit_architectures(s, ready$x, input$blueprint)
  labels <- run_labels(kernels)
  learned <- lapply(seq_along(kernels), function(i) {
    learn_kernel(kernels[[i]], i, ready, replace(s, "label", labels[i]))
  })
  s$gamma <- s$gamma %||% 10^seq(-1, 1, length.out = 10L)
  found <- best_machine(input, s, learned, labels)
  fit <- found$fit
  fit$hierarchy <- learned[[found$best]]$kernel
  fit$hierarchy$design <- input$blueprint$names
  fit$architectures <- describe_architectures(kernels, learned, found$risks, found$best)
  fit$learning <- lapply(learned, `[`, setdiff(names(learned[[1L]]), "kernel"))
  fit[c("optimizer", "learn.rows")] <- list(s$optimizer, nrow(ready$x))
  fit$seed <- s$seed
  fit$seconds <- c(learn = sum(unlist(lapply(learned, `[[`, "seconds"))), fit$seconds)
  fit$seconds[["total"]] <- proc.time()[["elapsed"]] - started
  class(fit) <- c("hgsvm", "vpsvm")
  if (found$best > 1L) warn_convergence(fit, s)
  fit
}

# For progress messages.
run_labels <- function(kernels) {
  count <- length(kernels)
  if (count == 1L) "" else paste0("architecture ", seq_len(count), " of ", count, ", ")
}

# A machine under each learned kernel, of which the best is kept: by its cross-validated risk or,
# without cross-validation, by the error on the third part.
best_machine <- function(input, s, learned, labels) {
  out <- list(best = 1L, risks = numeric())
  score <- numeric()
  for (i in seq_along(learned)) {
    s$nodes <- flat_nodes(learned[[i]]$kernel)
    s$label <- labels[i]
    # What there is to say about the data is said once.
    fit <- if (i == 1L) vpsvm_fit(input, s) else
      suppressMessages(suppressWarnings(vpsvm_fit(input, s)))
    out$risks[i] <- mean_risk(fit)
    score[i] <- if (is.na(out$risks[1L])) learned[[i]]$error else out$risks[i]
    if (i == 1L || isTRUE(score[i] < min(score[seq_len(i - 1L)], Inf, na.rm = TRUE))) {
      out$fit <- fit
      out$best <- i
    }
  }
  out
}

# Scaled rows, targets and weights of the rows that learn.
learning_data <- function(input, s) {
  input <- weighted_rows(input)
  outcome <- suppressMessages(outcome(input$y, s$type))
  scaling <- suppressMessages(learn_scaling(input$x, input$blueprint, s$scale))
  x <- apply_scaling(input$x, scaling)
  tasks <- learning_tasks(outcome, input, s)
  s$tasks <- tasks
  rows <- learning_rows(outcome$code, s)
  list(x = x[rows, , drop = FALSE], largest = column_peaks(x),
       y = tasks$target[rows, , drop = FALSE],
       weights = tasks$weights[rows], tau = tasks$tau, dual = s$loss != "least.squares",
       epsilon = tube(s, outcome, input)[[2L]])
}

# A stratified sample: with a fold per row, the rows of a class follow each other in random order.
learning_rows <- function(code, s) {
  n <- length(code)
  count <- s$learn.rows
  if (n <= count) return(seq_len(n))
  place <- fk_folds(code, n, s$seed)
  sort(match(1 + ((seq_len(count) - 1) * n) %/% count, place))
}

# Columns that tell no rows apart get the weight 0.
learn_kernel <- function(kernel, number, ready, s) {
  varies <- apply(ready$x, 2L, function(v) min(v) < max(v))
  out <- learn_weights(kernel, number, ready, s, any(varies))
  if (any(varies)) out$kernel <- without_columns(out$kernel, !varies)
  check_distance_bound(out$kernel, ready$largest)
  out
}

# Learned on the scaled rows of the design; without enough of them the weights stay.
learn_weights <- function(kernel, number, ready, s, varies) {
  if (nrow(ready$x) < 9L && number == 1L) {
    warn("The parts that learn weights need 9 rows in all, but there are ", nrow(ready$x),
         "; the weights stay as they were.")
  }
  constant <- !varies || all(apply(ready$y, 2L, function(v) min(v) == max(v)))
  if (nrow(ready$x) < 9L || constant) return(unlearned(kernel))
  check_distance_bound(kernel, ready$largest)
  out <- from_core(fk_hg_learn(ready$x, ready$y, ready$weights, flat_nodes(kernel),
                               learning_options(s, ready, number)))
  out$kernel <- with_weights(kernel, abs(out$weights))
  out
}

without_columns <- function(node, absent) {
  if (is_leaf(node)) {
    node$weights[absent[node$columns]] <- 0
    return(node)
  }
  node$nodes <- lapply(node$nodes, without_columns, absent)
  node
}

unlearned <- function(kernel) {
  list(weights = all_weights(kernel), shift = NA_real_, error = NA_real_, chosen = NA_integer_,
       trace = data.frame(round = integer(), step = integer(), validation = numeric(),
                          test = numeric()),
       proposals = 0, accepted = 0, seconds = c(anneal = 0, descent = 0, solve = 0),
       kernel = kernel)
}

learning_options <- function(s, ready, number) {
  core <- list(
    loss = s$loss, tau = ready$tau, epsilon = ready$epsilon, dual = ready$dual, kernel = "radial",
    clip = if (s$clip) c(-1, 1), search_rows = 1e9, tol = 1e-4,
    max_iter = as.integer(s$max.iter), threads = s$threads, memory = s$memory, device = s$device,
    isa = resolve_isa(), seed = s$seed, verbose = s$verbose, label = s$label,
    item = number
  )
  c(core, list(
    optimizer = s$optimizer, rounds = s$rounds, cycles = s$cycles, first = s$anneal[1L],
    later = s$anneal[2L], descent = s$descent, spread = s$spread,
    temperature = s$temperature %||% 0, fresh = s$restart == "init", steps = s$steps,
    patience = s$patience, batch = s$batch, rate = s$rate
  ))
}

# ---- architectures -------------------------------------------------------------------------------

fit_architectures <- function(s, x, blueprint) {
  if (is.null(s$architectures)) return(default_architectures(x, s$seed))
  if (is.character(s$architectures)) return(default_architectures(x, s$seed)[s$architectures])
  several <- length(s$architectures) > 1L
  where <- paste0("architectures", if (several) paste0("[[", seq_along(s$architectures), "]]"))
  Map(on_design, s$architectures, list(blueprint), where)
}

# The inhomogeneous kernel and six random ones of two layers, on the columns that vary.
default_architectures <- function(x, seed) {
  used <- which(apply(x, 2L, function(v) min(v) < max(v)))
  if (length(used) == 0L) used <- 1L
  p <- length(used)
  out <- list(inhomogeneous = hg_inhomogeneous(p))
  plan <- expand.grid(nodes = c(4, 8, 16), saturation = 1:2)
  plan$nodes <- pmin(plan$nodes, plan$saturation * p)
  plan <- unique(plan[p > 1L & plan$nodes >= 2, , drop = FALSE])
  for (i in seq_len(nrow(plan))) {
    name <- paste0(plan$nodes[i], " nodes, saturation ", plan$saturation[i])
    out[[name]] <- hg_random(p, plan$nodes[i], plan$saturation[i], seed)
  }
  lapply(out, on_columns, used)
}

on_columns <- function(node, columns) {
  if (is_leaf(node)) {
    node$columns <- columns[node$columns]
    return(node)
  }
  node$nodes <- lapply(node$nodes, on_columns, columns)
  node
}

describe_architectures <- function(kernels, learned, risks, best) {
  data.frame(
    name = names(kernels) %||% paste("architecture", seq_along(kernels)),
    depth = vapply(kernels, `[[`, 0L, "depth"),
    nodes = vapply(kernels, leaf_count, 0L),
    weights = vapply(kernels, `[[`, 0L, "size"), error = vapply(learned, `[[`, 0, "error"),
    cv.risk = risks, chosen = seq_along(kernels) == best, row.names = NULL
  )
}

# The cross-validated risk over the cells.
mean_risk <- function(fit) sum(fit$cv.risk * fit$cell.size) / sum(fit$cell.size)

# ---- settings ------------------------------------------------------------------------------------

hgsvm_settings <- function(s, folds_asked) {
  s$optimizer <- check_choice(s$optimizer, c("auto", "anneal", "lbfgs", "adam"), "optimizer")
  s$preset <- check_choice(s$preset, c("fast", "paper"), "preset")
  s$restart <- check_choice(s$restart, c("perturb", "init"), "restart")
  s["architectures"] <- list(check_architectures(s$architectures))
  rest <- list(multiclass = "ovr", kernel = "radial", degree = 3, coef0 = 0, validation = "cv",
               search = "race", search.rows = 8000, refine = FALSE, folds_given = folds_asked,
               scale_asked = TRUE)
  if (!is.null(s$gamma) && !is_positive(s$gamma)) {
    abort_arg("gamma", s$gamma, paste(positive$want, "or NULL"), is_positive)
  }
  average <- identical(s$final, "average")
  s <- vpsvm_settings(c(s, rest), folds_asked || average)
  numbers <- c("spread", "patience", "batch", "rate", "learn.rows", "rounds", "cycles", "anneal",
               "descent", "temperature", "steps")
  for (name in numbers) {
    rule <- hg_vocabulary[[name]]
    if (is.null(s[[name]]) && rule$null) next
    if (!isTRUE(rule$ok(s[[name]]))) {
      abort_arg(name, s[[name]], paste0(rule$want, if (rule$null) " or NULL"))
    }
  }
  if (s$optimizer %in% c("lbfgs", "adam") && s$loss != "least.squares") {
    abort('optimizer = "', s$optimizer, '" differentiates the least-squares machine, but `loss` ',
          'is "', s$loss, '"; use "anneal" or "auto".', arg = "optimizer")
  }
  if (s$optimizer == "auto") s$optimizer <- if (s$loss == "least.squares") "adam" else "anneal"
  s <- with_preset(s)
  refuse_idle(s, idle_in_hgsvm(s), hgsvm.default)
  s
}

with_preset <- function(s) {
  paper <- s$preset == "paper"
  if (s$optimizer == "anneal") s$rounds <- s$rounds %||% if (paper) 10 else 2
  s$rounds <- s$rounds %||% if (paper) 3 else 1
  s$cycles <- s$cycles %||% if (paper) 15 else 3
  s$anneal <- rep_len(s$anneal %||% if (paper) c(1000, 500) else c(200, 100), 2L)
  s$descent <- s$descent %||% 10
  s$steps <- s$steps %||% if (s$optimizer == "adam") 400 else 50
  s
}

hg_vocabulary <- list(
  rounds = whole(1, 1e6, TRUE), cycles = whole(1, 1e6, TRUE), descent = whole(0, 1e6, TRUE),
  anneal = rule("one or two whole numbers from 0 to 1e9", function(x) {
    is.numeric(x) && length(x) %in% 1:2 && all(vapply(x, is_whole, NA, 0, 1e9))
  }, TRUE),
  spread = share,
  temperature = rule("one positive number", function(x) is_number(x) && x > 0, TRUE),
  steps = whole(1, 1e9, TRUE), patience = whole(1, 1e9), batch = whole(9, 1e9),
  rate = rule("one number above 0 and at most 10", function(x) is_number(x, 0, 10) && x > 0),
  learn.rows = whole(9, 1e9)
)

check_architectures <- function(architectures) {
  if (is.null(architectures) || identical(architectures, "inhomogeneous")) return(architectures)
  if (is_kernel_object(architectures)) architectures <- list(architectures)
  good <- is.list(architectures) && length(architectures) > 0L &&
    all(vapply(architectures, is_kernel_object, NA))
  if (!good) {
    abort_arg("architectures", architectures,
              'an hg_kernel() object, a list of these, "inhomogeneous" or NULL')
  }
  architectures
}
