# The fit: scale, lay out the dictionary, run the core, pack a plain list.

kbp_fit <- function(input, s) {
  started <- proc.time()[["elapsed"]]
  given <- input
  input <- kbp_rows(given)
  target <- kbp_outcome(input$y, s$type, s$intercept)
  scaling <- learn_scaling(input$x, input$blueprint, s$scale)
  x <- apply_scaling(input$x, scaling)
  s <- kbp_data_settings(s, x, target)
  weights <- row_weights(input$weights, s$class.weights, target)
  random <- kbp_is_random(s)
  seed <- if (random) draw_seed(s$seed) else 0
  blocks <- c(kernel_blocks(s, x, input), intercept_block(s, nrow(x)),
              trap_blocks(s, x, input, seed))
  trials <- shorter_series(blocks, s)
  core <- from_core(fk_kbp_fit(x, target$target, weights, target$code, lapply(blocks, core_block),
                               kbp_core_options(s, x, mean(target$half), seed, trials)))
  if (core$trial > 0L) blocks <- blocks[trials[[core$trial]]]
  fit <- c(
    list(call = NULL, version = package_version_string()), kbp_task(target),
    s[c("method", "stop", "last.step", "key")],
    list(n = nrow(x), folds = if (kbp_is_searched(s)) s$folds else 0,
         seed = if (random) seed else NA_real_, blueprint = input$blueprint, scaling = scaling,
         na.action = input$na.action, clip = FALSE, label = c(center = 0, half = 1),
         range = if (kbp_clips(s) && target$task == "regression") apply(cbind(input$y), 2L, range)),
    describe_paths(core, target, blocks, x)
  )
  class(fit) <- "kbp"
  fit <- add_kbp_results(fit, core, target, input, x, s, given_blocks(blocks))
  fit <- add_kbp_unused(fit, given, s)
  fit$seconds <- proc.time()[["elapsed"]] - started
  fit
}

# By default not where a kernel that grows without bound says what lies beyond the rows.
kbp_clips <- function(s) {
  if (is_flag(s$clip)) return(s$clip)
  kernels <- lapply(kernel_entries(s$kernels), function(e) kernel_entry(e, "kernels")$kernel)
  !any(vapply(kernels, function(k) is.character(k) && k %in% c("polynomial", "linear"), NA))
}

# Without the rows of weight 0. `from` are the rows of `given` that are left.
kbp_rows <- function(given) {
  y <- given$y
  if (is.matrix(y)) given$y <- seq_len(nrow(y))
  input <- weighted_rows(given)
  if (is.matrix(y)) input$y <- y[input$y, , drop = FALSE]
  input$rows <- nrow(given$x)
  input$from <- if (is.null(given$weights)) seq_len(nrow(given$x)) else which(given$weights > 0)
  input
}

# Rows of weight 0 are answered like new ones, so that the results have an entry for every row.
add_kbp_unused <- function(fit, given, s) {
  unused <- which(given$weights == 0)
  if (length(unused) == 0L) return(fit)
  used <- which(given$weights > 0)
  blocks <- lapply(kept_rows(given_matrices(s), given), function(v) v[unused, , drop = FALSE])
  names(blocks) <- which(vapply(fit$blocks, function(b) b$name == "given", NA))
  x <- model_rows(fit, given$x[unused, , drop = FALSE])
  decision <- kbp_decision(fit, x, s[c("threads", "memory", "verbose")], blocks)
  place <- order(c(used, unused))
  answer <- kbp_answer(fit, decision, "response")
  fit$fitted <- if (is.matrix(answer)) rbind(fit$fitted, answer)[place, , drop = FALSE] else
    c(fit$fitted, answer)[place]
  fit$residuals <- kbp_residuals(fit, fit$fitted, given$y)
  fit$index <- used[fit$index]
  fit$sources$row <- used[fit$sources$row]
  if (!is.null(fit$at)) fit$at <- c(fit$at, given$x[unused, 1L])[place]
  fit$unused <- unused
  fit
}

# Several numeric responses are outcomes side by side. Where the intercept is a source, numbers keep
# their 0.
kbp_outcome <- function(y, type, intercept = "center") {
  out <- kbp_targets(y, type)
  if (intercept == "center" || out$task == "classification") return(out)
  shift <- rep(out$center / out$half, each = nrow(out$target))
  out$target <- out$target + shift
  out$center <- 0 * out$center
  out
}

kbp_targets <- function(y, type) {
  if (!is.matrix(y)) return(outcome(y, type))
  if (check_choice(type, c("auto", "classification", "regression"), "type") == "classification") {
    abort("`y` has ", ncol(y), " columns, several responses, which is regression; for ",
          'type = "classification" give one factor.', arg = "type")
  }
  each <- lapply(seq_len(ncol(y)), function(j) regression_outcome(y[, j]))
  out <- each[[1L]]
  part <- function(name) vapply(each, `[[`, 0, name)
  out$target <- vapply(each, function(o) o$target[, 1L], numeric(nrow(y)))
  out$center <- part("center")
  out$half <- part("half")
  out$names <- colnames(y) %||% paste0("y", seq_len(ncol(y)))
  out
}

kbp_task <- function(target) {
  out <- target[c("task", "levels", "classes", "ordered", "names")]
  out[!vapply(out, is.null, NA)]
}

# What can only be checked with the data at hand.
kbp_data_settings <- function(s, x, target) {
  if (s$probability && target$task != "classification") {
    abort("`probability` = TRUE needs a factor response; this is regression.", arg = "probability")
  }
  if (ncol(target$target) > 1L && target$task == "regression" && !is.null(s$bound) &&
        s$stop == "cv.l1" && diff(range(target$half)) > 0) {
    abort('`bound` for stop = "cv.l1" needs responses of one range; fit them one by one.',
          arg = "bound")
  }
  if (nrow(x) < 2L) {
    abort("A fit needs at least 2 rows of positive weight, not ", nrow(x), ".", arg = "weights")
  }
  if (!kbp_is_validated(s)) return(s)
  if (s$folds > nrow(x) && s$folds_asked) {
    abort("`folds` = ", s$folds, " exceeds the ", nrow(x), " rows.", arg = "folds")
  }
  s$folds <- min(s$folds, nrow(x))
  if (target$task == "classification") warn_single_class(target)
  s
}

# A smooth response under strong noise is learned worse with narrow kernels at hand: the blocks
# without the narrowest two of an automatic series, without four and so on, and never with fewer
# than two.
shorter_series <- function(blocks, s) {
  trials <- list()
  kept <- seq_along(blocks)
  while (kbp_is_searched(s) && length(drop <- narrowest_two(blocks[kept]))) {
    kept <- kept[-drop]
    trials <- c(trials, list(kept))
  }
  trials
}

narrowest_two <- function(blocks) {
  series <- vapply(blocks, function(b) b$series %||% 0, 0)
  unlist(lapply(setdiff(series, 0), function(i) {
    utils::head(which(series == i), max(0, min(2, sum(series == i) - 2)))
  }))
}

core_block <- function(b) {
  read <- c("kernel", "columns", "gamma", "degree", "coef0", "values", "owner", "trap",
            "intercept")
  b[intersect(names(b), read)]
}

# From the core's paths (targets in [-1, 1]) to the unit of the response.
describe_paths <- function(core, target, blocks, x) {
  responses <- length(core$paths)
  half <- rep_len(target$half, responses)
  center <- rep_len(target$center, responses)
  path <- Map(path_in_units, core$paths, half, center)
  names(path) <- target$names
  sources <- describe_sources(core$sources, blocks)
  ends <- lapply(path, function(p) end_of_path(p, sources))
  rows <- sort(unique(sources$row[sources$centered]))
  sources$center <- match(sources$row, rows)
  traps <- vapply(blocks, function(b) isTRUE(b$trap), NA)
  list(
    path = path, sources = sources, sv = x[rows, , drop = FALSE], index = rows,
    coef = matrix(unlist(lapply(ends, `[[`, "coef")), nrow(sources), responses),
    intercept = vapply(ends, `[[`, 0, "intercept", USE.NAMES = FALSE),
    blocks = lapply(blocks[!traps], function(b) {
      b[setdiff(names(b), c("values", "owner", "series", "automatic"))]
    }),
    size = core$size, bound = vapply(path, `[[`, 0, "bound", USE.NAMES = FALSE),
    fold = if (length(core$fold)) core$fold, stored = core$stored, threads = core$threads
  )
}

path_in_units <- function(p, half, center) {
  p$points$l1 <- p$points$l1 * half
  p$points$correlation <- p$points$correlation * half
  p$points$loss <- p$points$loss * half^2
  p$value <- p$value * half
  p$mean <- p$mean * half + center
  p
}

describe_sources <- function(found, blocks) {
  of <- function(name, missing) {
    vapply(blocks[found$block], function(b) b[[name]] %||% missing, missing)
  }
  centered <- vapply(blocks[found$block], function(b) is.null(b$values) || !is.null(b$owner), NA)
  owner <- Map(function(b, place) if (is.null(b$owner)) place else b$owner[place],
               blocks[found$block], found$place)
  data.frame(
    kernel = found$block, name = of("name", ""), bandwidth = of("bandwidth", NA_real_),
    row = ifelse(centered, as.integer(unlist(owner)), NA_integer_), place = found$place,
    mean = found$mean, scale = found$scale, centered = centered, row.names = NULL
  )
}

# Raw coefficients and intercept from standardised ones (a matrix, one column per model). The source
# that is the intercept, a 0 with the mean -1, is in the latter alone.
raw_coef <- function(standardised, mean, sources) {
  coef <- standardised * sources$scale
  intercept <- mean - colSums(coef * sources$mean)
  coef[sources$name == "intercept", ] <- 0
  list(coef = coef, intercept = intercept)
}

end_of_path <- function(p, sources) {
  end <- raw_coef(breakpoint_coef(p, nrow(p$points), nrow(sources)), p$mean, sources)
  list(coef = drop(end$coef), intercept = end$intercept)
}

# Standardised coefficients at the given breakpoints: sources x breakpoints.
breakpoint_coef <- function(p, at, sources) {
  out <- matrix(0, sources, length(at))
  for (k in seq_along(at)) {
    i <- seq_len(p$offset[at[k] + 1L] - p$offset[at[k]]) + p$offset[at[k]]
    out[p$source[i], k] <- p$value[i]
  }
  out
}

# Sources given by their values, named by the number of their block.
given_blocks <- function(blocks) {
  given <- which(vapply(blocks, function(b) b$name == "given", NA))
  stats::setNames(lapply(blocks[given], `[[`, "values"), given)
}

add_kbp_results <- function(fit, core, target, input, x, s, given) {
  half <- rep_len(target$half, ncol(target$target))
  fit$grid <- Map(function(p, h) {
    bound <- if (fit$stop == "cv.l1") p$grid * h else p$grid
    data.frame(bound = bound, cv.error = p$risk * h^2)
  }, core$paths, half)
  if (fit$stop == "cv.l1") fit$bound <- fit$bound * half
  if (s$bound_asked) fit$edge <- vapply(core$paths, bound_edge, "")
  if (fit$stop == "whiteness") fit$bound[] <- s$bound
  if (fit$stop == "none") fit$bound[] <- NA_real_
  fit$path <- lapply(fit$path, function(p) p[setdiff(names(p), c("grid", "risk", "bound"))])
  decision <- kbp_decision(fit, x, s[c("threads", "memory", "verbose")], given)
  fit$fitted <- kbp_answer(fit, decision, "response")
  fit$residuals <- kbp_residuals(fit, fit$fitted, input$y)
  if (ncol(x) == 1L) fit$at <- undo_scaling(x, fit$scaling)[, 1L]
  fit$cv.error <- NA_real_
  if (!is.null(core$held_out)) fit <- add_held_out(fit, core, target, input, half, s)
  fit
}

# Whether the best of several bounds is the smallest or the largest. Bounds of ours have no edge:
# they go as far as the paths.
bound_edge <- function(p) {
  if (length(p$grid) < 2L) return("")
  edge_words("bound", (p$bound == max(p$grid)) - (p$bound == min(p$grid)))
}

add_held_out <- function(fit, core, target, input, half, s) {
  held <- sweep(sweep(core$held_out, 2L, half, "*"), 2L, rep_len(target$center, length(half)), "+")
  complete <- which(!is.na(rowSums(held)))
  w <- input$weights[complete] %||% rep(1, length(complete))
  answer <- kbp_answer(fit, held[complete, , drop = FALSE], "response")
  y <- if (is.matrix(input$y)) input$y[complete, , drop = FALSE] else input$y[complete]
  error <- kbp_residuals(fit, answer, y)
  if (fit$task == "regression") error <- error^2
  fit$cv.error <- if (is.matrix(error)) colSums(w * error) / sum(w) else sum(w * error) / sum(w)
  if (s$probability) fit$calibration <- calibrate(core$held_out, target, input$weights, fit)
  fit
}

kbp_residuals <- function(fit, response, y) {
  if (is.matrix(response)) return(y - response)
  response_error(fit, response, y)
}
