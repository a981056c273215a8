# The fit: architectures, which of them is best on rows that no weight has seen, and a machine under
# that one's kernel, learned on all rows.

hgsvm_fit <- function(input, s) {
  started <- proc.time()[["elapsed"]]
  if (is_sparse(input$x)) {
    abort("hgsvm() takes no sparse matrix; if it fits in memory, give as.matrix(x).", arg = "x")
  }
  s$seed <- draw_seed(s$seed)
  used <- weighted_rows(input)
  used$outcome <- suppressMessages(outcome(used$y, s$type))
  check_probability_task(s, used$outcome)
  ready <- learning_data(used, s)
  s$rank <- order(canonical_order(ready$x))
  candidates <- fit_candidates(s, ready$x, input$blueprint)
  if (nrow(ready$x) < least_rows) warn_few_rows(nrow(ready$x))
  trial <- trial_of(candidates, used, s)
  chosen <- candidates[[trial$best]]
  own <- learn_kernel(chosen, ready, replace(s, "label", run_label(chosen, s)))
  fit <- vpsvm_fit(input, under_kernel(s, chosen, own$kernel))
  fit <- add_trial(fit, trial, used, s)
  fit$hierarchy <- own$kernel
  fit$hierarchy$design <- input$blueprint$names
  trial$learned[[trial$best]] <- own
  fit$architectures <- describe_architectures(candidates, trial)
  fit$learning <- lapply(trial$learned, `[`, setdiff(names(own), "kernel"))
  fit[c("optimizer", "learn.rows")] <- list(s$optimizer, nrow(ready$x))
  fit$seed <- s$seed
  fit$seconds <- c(learn = trial$seconds[["learn"]] + sum(own$seconds),
                   fit$seconds[c("search", "solve")] + trial$seconds[c("search", "solve")],
                   total = proc.time()[["elapsed"]] - started)
  class(fit) <- c("hgsvm", "vpsvm")
  fit
}

run_label <- function(candidate, s, ...) {
  if (identical(s$architectures, "inhomogeneous")) paste0(..., "") else
    paste0(candidate$name, ", ", ...)
}

# The widths belong to the learned distance; without learning they are those of vpsvm().
under_kernel <- function(s, candidate, kernel) {
  s$nodes <- flat_nodes(kernel)
  if (candidate$learns) s$gamma <- s$gamma %||% 10^seq(-1, 1, length.out = 10L)
  s
}

# Scaled rows, targets and weights of the rows that learn. What shift and unit of a column or of the
# response leave in the last bits is rounded away, as many steps would make it large.
learning_data <- function(input, s) {
  outcome <- input$outcome
  scaling <- suppressMessages(learn_scaling(input$x, input$blueprint, s$scale))
  x <- apply_scaling(input$x, scaling)
  tasks <- learning_tasks(outcome, input, s)
  s$tasks <- tasks
  rows <- learning_rows(outcome$code, s)
  y <- one_of_alike(tasks$target, outcome, s)
  list(x = apply(x[rows, , drop = FALSE], 2L, to_bits, 20), largest = column_peaks(x),
       y = apply(y[rows, , drop = FALSE], 2L, to_bits, 16),
       weights = tasks$weights[rows], tau = tasks$tau, dual = s$loss != "least.squares",
       epsilon = signif(tube(s, outcome, input)[[2L]], 10L), rows = nrow(x))
}

to_bits <- function(v, bits) {
  size <- max(abs(v))
  if (size == 0) return(v)
  unit <- 2^(round(log2(size)) - bits)
  round(v / unit) * unit
}

# Neither the order of the classes nor, under an even loss, the sign of the targets matters.
one_of_alike <- function(target, outcome, s) {
  if (outcome$task == "classification" && length(outcome$classes) > 2L) {
    return(target[, unique(outcome$code), drop = FALSE])
  }
  turned <- !has_levels(s$loss) && target[which(target[, 1L] != 0)[1L], 1L] < 0
  if (isTRUE(turned)) -target else target
}

# A stratified sample: with a fold per row, the rows of a class follow each other in random order.
learning_rows <- function(code, s) {
  n <- length(code)
  count <- s$learn.rows
  if (n <= count) return(seq_len(n))
  place <- fk_folds(by_appearance(code), n, s$seed)
  sort(match(1 + ((seq_len(count) - 1) * n) %/% count, place))
}

by_appearance <- function(code) match(code, unique(code))

# Below, there are no three parts.
least_rows <- 9L

warn_few_rows <- function(n) {
  warn("The parts that learn weights need ", least_rows, " rows in all, but there are ", n,
       "; the weights stay as they were.")
}

# Columns that tell no rows apart get the weight 0.
learn_kernel <- function(candidate, ready, s) {
  varies <- apply(ready$x, 2L, function(v) min(v) < max(v))
  out <- if (candidate$learns) learn_weights(candidate$kernel, ready, s, any(varies)) else
    unlearned(candidate$kernel)
  if (any(varies)) out$kernel <- without_columns(out$kernel, !varies)
  check_distance_bound(out$kernel, ready$largest)
  out
}

# Learned on the scaled rows of the design; without enough of them the weights stay.
learn_weights <- function(kernel, ready, s, varies) {
  constant <- !varies || all(apply(ready$y, 2L, function(v) min(v) == max(v)))
  if (nrow(ready$x) < least_rows || constant) return(unlearned(kernel))
  check_distance_bound(kernel, ready$largest)
  parts <- canonical_kernel(with_weights(kernel, seq_len(kernel$size)), s$rank)
  place <- all_weights(parts)
  start <- with_weights(parts, all_weights(kernel)[place])
  out <- from_core(fk_hg_learn(ready$x[, order(s$rank), drop = FALSE], ready$y, ready$weights,
                               flat_nodes(start), learning_options(s, ready)))
  learned <- with_weights(kernel, replace(numeric(kernel$size), place, abs(out$weights)))
  # A width that was given stays beside the weights.
  out$kernel <- if (is.null(s$gamma)) learned else with_gamma(learned, 1 / out$gamma)
  out$weights <- all_weights(out$kernel)
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
  list(weights = all_weights(kernel), gamma = NA_real_, shift = NA_real_, error = NA_real_,
       chosen = NA_integer_,
       trace = data.frame(round = integer(), step = integer(), validation = numeric(),
                          test = numeric()),
       proposals = 0, accepted = 0, seconds = c(anneal = 0, descent = 0, solve = 0),
       kernel = kernel)
}

learning_options <- function(s, ready) {
  core <- list(
    loss = s$loss, tau = ready$tau, epsilon = ready$epsilon, dual = ready$dual, kernel = "radial",
    gamma = s$gamma, lambda = s$lambda %||% if (!is.null(s$cost)) 1 / (2 * s$cost * ready$rows),
    clip = if (s$clip) c(-1, 1), search_rows = 1e9, tol = 1e-4,
    max_iter = as.integer(s$max.iter), threads = s$threads, memory = s$memory, device = s$device,
    isa = resolve_isa(), seed = s$seed, verbose = s$verbose, label = s$label
  )
  c(core[!vapply(core, is.null, NA)], list(
    optimizer = s$optimizer, rounds = s$rounds, cycles = s$cycles, first = s$anneal[1L],
    later = s$anneal[2L], descent = s$descent, spread = s$spread,
    temperature = s$temperature %||% 0, fresh = s$restart == "init", steps = s$steps,
    patience = s$patience, batch = s$batch, rate = s$rate
  ))
}

# ---- architectures -------------------------------------------------------------------------------

# Kernels with a name each, whose weights are learned or stay as they are.
fit_candidates <- function(s, x, blueprint) {
  given <- !is.null(s$architectures) && !is.character(s$architectures)
  kernels <- if (given) given_architectures(s, blueprint) else default_architectures(x, s)
  plain <- kernels[if (given) seq_along(kernels) else 1L]
  candidate <- function(kernel, name, learns) list(kernel = kernel, name = name, learns = learns)
  c(unname(Map(candidate, kernels, names(kernels), TRUE)),
    unname(Map(candidate, plain, paste0(names(plain), ", unlearned"), FALSE)))
}

given_architectures <- function(s, blueprint) {
  several <- length(s$architectures) > 1L
  where <- paste0("architectures", if (several) paste0("[[", seq_along(s$architectures), "]]"))
  out <- Map(on_design, s$architectures, list(blueprint), where)
  names(out) <- names(s$architectures) %||% paste("architecture", seq_along(out))
  out
}

# The inhomogeneous kernel and six random ones of two layers, on the columns that vary.
default_architectures <- function(x, s) {
  used <- which(apply(x, 2L, function(v) min(v) < max(v)))
  if (length(used) == 0L) used <- 1L
  used <- used[order(s$rank[used])]
  p <- length(used)
  out <- list(inhomogeneous = hg_inhomogeneous(p))
  plan <- expand.grid(nodes = c(4, 8, 16), saturation = 1:2)
  plan$nodes <- pmin(plan$nodes, plan$saturation * p)
  plan <- unique(plan[p > 1L & plan$nodes >= 2, , drop = FALSE])
  for (i in seq_len(nrow(plan))) {
    name <- paste0(plan$nodes[i], " nodes, saturation ", plan$saturation[i])
    out[[name]] <- hg_random(p, plan$nodes[i], plan$saturation[i], s$seed)
  }
  if (is.character(s$architectures)) out <- out[s$architectures]
  lapply(out, function(kernel) with_sorted_columns(on_columns(kernel, used)))
}

on_columns <- function(node, columns) {
  if (is_leaf(node)) {
    node$columns <- columns[node$columns]
    return(node)
  }
  node$nodes <- lapply(node$nodes, on_columns, columns)
  node
}

# For kernels whose weights are all the same.
with_sorted_columns <- function(node) {
  if (is_leaf(node)) node$columns <- sort(node$columns) else
    node$nodes <- lapply(node$nodes, with_sorted_columns)
  node
}

# An order of the scaled columns that depends neither on where they stand nor on their unit and
# sign: by their smallest size, then the next and so on; where these agree by the sizes in the first
# row, the second and so on, and at last by the values. What rounding tells apart is equal.
canonical_order <- function(x) {
  sizes <- abs(x)
  keys <- round(rbind(apply(sizes, 2L, sort), sizes, x), 9L)
  do.call(order, c(unname(split(keys, row(keys))), method = "radix"))
}

# On the columns in this order, with the parts of every node in an order of their own.
canonical_kernel <- function(node, rank) {
  if (is_leaf(node)) {
    columns <- rank[node$columns]
    at <- order(columns)
    node$columns <- columns[at]
  } else {
    nodes <- lapply(node$nodes, canonical_kernel, rank)
    at <- order(vapply(nodes, node_key, ""), method = "radix")
    node$nodes <- nodes[at]
  }
  node$weights <- node$weights[at]
  node
}

node_key <- function(node) {
  if (is_leaf(node)) return(paste(sprintf("%08d", node$columns), collapse = " "))
  paste0("(", paste(vapply(node$nodes, node_key, ""), collapse = ","), ")")
}

describe_architectures <- function(candidates, trial) {
  kernels <- lapply(candidates, `[[`, "kernel")
  data.frame(
    name = vapply(candidates, `[[`, "", "name"), depth = vapply(kernels, `[[`, 0L, "depth"),
    nodes = vapply(kernels, leaf_count, 0L), weights = vapply(kernels, `[[`, 0L, "size"),
    learned = vapply(candidates, `[[`, NA, "learns"),
    error = vapply(trial$learned, `[[`, 0, "error"), cv.risk = trial$risks,
    chosen = seq_along(kernels) == trial$best, row.names = NULL
  )
}

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
  s$outer <- s$folds
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
  if (s$optimizer == "auto") {
    s$optimizer <- if (s$loss == "least.squares" && s$preset == "fast") "adam" else "anneal"
  }
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
  s$patience <- s$patience %||% if (s$optimizer == "adam") 4 else 10
  s
}

hg_vocabulary <- list(
  rounds = whole(1, 1e6, TRUE), cycles = whole(1, 1e6, TRUE), descent = whole(0, 1e6, TRUE),
  anneal = rule("one or two whole numbers from 0 to 1e9", function(x) {
    is.numeric(x) && length(x) %in% 1:2 && all(vapply(x, is_whole, NA, 0, 1e9))
  }, TRUE),
  spread = share,
  temperature = rule("one positive number", function(x) is_number(x) && x > 0, TRUE),
  steps = whole(1, 1e9, TRUE), patience = whole(1, 1e9, TRUE), batch = whole(9, 1e9),
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
