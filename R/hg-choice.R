# The candidates on rows that no weight has seen: for each outer fold weights are learned and a
# machine is fitted without its rows, which are then predicted.

# So many held-out rows are enough to choose by.
enough_rows <- 1000

# The error of the kernels on the outer folds, as many as hold enough rows. After each fold half of
# the learned ones go on; the unlearned ones always do.
trial_of <- function(candidates, input, s) {
  n <- nrow(input$x)
  out <- list(best = 1L, risks = rep(NA_real_, length(candidates)), decision = NULL,
              learned = lapply(candidates, function(one) unlearned(one$kernel)),
              seconds = c(learn = 0, search = 0, solve = 0))
  if (n < least_rows) return(out)
  tasks <- learning_tasks(input$outcome, input, s)
  folds <- min(s$outer, n)
  out$fold <- fk_folds(by_appearance(input$outcome$code), as.integer(folds), s$seed)
  count <- min(folds, ceiling(enough_rows * folds / n))
  decision <- lapply(candidates, function(one) array(NA_real_, dim(tasks$target)))
  alive <- seq_along(candidates)
  for (f in seq_len(count)) {
    inside <- which(out$fold == f)
    for (i in alive) {
      label <- run_label(candidates[[i]], s, "fold ", f, " of ", count, ", ")
      run <- fold_run(candidates[[i]], input, inside, replace(s, "label", label))
      decision[[i]][inside, ] <- run$decision
      if (f == 1L) out$learned[[i]] <- run$learned
      out$seconds <- out$seconds + run$seconds
    }
    rows <- which(out$fold <= f)
    risks <- vapply(decision[alive], held_out_risk, 0, rows, tasks, input, s)
    if (f < count) alive <- alive[go_on(risks, candidates[alive])]
  }
  out$risks[alive] <- risks
  out$best <- alive[which.min(risks)]
  out$decision <- decision[[out$best]]
  out
}

# The better half of those that learn, and all others.
go_on <- function(risks, candidates) {
  learns <- vapply(candidates, `[[`, NA, "learns")
  keep <- utils::head(order(!learns, risks), ceiling(sum(learns) / 2))
  !learns | seq_along(risks) %in% keep
}

# Decision values of the inner rows, from all that a fit does with the others.
fold_run <- function(candidate, input, inside, s) {
  outside <- rows_of(input, setdiff(seq_len(nrow(input$x)), inside))
  s$probability <- FALSE
  s$folds_given <- FALSE
  if (s$folds > 0) s$folds <- min(s$folds, nrow(outside$x))
  made <- tryCatch(machine_on(outside, candidate, s), flexkern_error = function(e) {
    # What is too much for these rows is so for all, whose numbers the refusal shall have.
    if (identical(e$arg, "memory")) machine_on(input, candidate, s)
    stop(e)
  })
  x <- apply_scaling(input$x[inside, , drop = FALSE], made$fit$scaling)
  list(decision = core_predict(made$fit, x, s[c("threads", "memory", "verbose")]),
       learned = made$learned,
       seconds = c(learn = sum(made$learned$seconds), made$fit$seconds[c("search", "solve")]))
}

machine_on <- function(input, candidate, s) {
  learned <- learn_kernel(candidate, learning_data(input, s), s)
  fit <- suppressMessages(suppressWarnings(
    vpsvm_fit(input, under_kernel(s, candidate, learned$kernel))
  ))
  list(learned = learned, fit = fit)
}

rows_of <- function(input, rows) {
  input$x <- input$x[rows, , drop = FALSE]
  input[c("y", "weights")] <- list(input$y[rows], input$weights[rows])
  input$outcome$code <- input$outcome$code[rows]
  input$outcome$target <- input$outcome$target[rows, , drop = FALSE]
  input
}

# The mean loss of clipped decision values on the scale of the core.
held_out_risk <- function(decision, rows, tasks, input, s) {
  t <- decision[rows, , drop = FALSE]
  if (s$clip) t[] <- pmin(pmax(t, -1), 1)
  y <- tasks$target[rows, , drop = FALSE]
  loss <- if (s$loss == "hinge") pmax(1 - y * t, 0) else
    residual_loss(list(loss = s$loss, tau = s$tau, epsilon = tube(
      replace(s, "tasks", list(tasks)), input$outcome, input)[[2L]]), y - t)
  w <- if (is.null(tasks$own)) tasks$weights[rows] else tasks$own[rows, , drop = FALSE]
  mean(colSums(w * loss) / colSums(w + 0 * loss))
}

# What cross-validation left, of the outer folds: errors, residuals and probabilities. The fold
# models are those of the final kernel, which has seen all rows.
add_trial <- function(fit, trial, input, s) {
  if (is.null(trial$decision)) return(fit)
  core <- list(cv_decision = trial$decision, fold = trial$fold)
  folds <- fit$folds
  fit$folds <- s$outer
  fit$cv.error <- cv_error(fit, core, input$y, input$weights)
  cv <- describe_cv(fit, core, input$y, input$weights)
  fit$folds <- folds
  fit$cv <- if (is.null(fit$unused)) cv else
    place_cv(cv, order(c(setdiff(seq_along(fit$residuals), fit$unused), fit$unused)))
  if (s$probability) {
    fit$calibration <- calibrate(trial$decision, input$outcome, input$weights, fit)
  }
  fit$fold.coef <- NULL
  fit
}
