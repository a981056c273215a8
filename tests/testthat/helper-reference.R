# The algorithms of the core, each written in the most obvious way. Every fast path is compared
# with these.

ref_distance2 <- function(a, b) {
  out <- matrix(0, nrow(a), nrow(b))
  for (i in seq_len(nrow(a))) for (j in seq_len(nrow(b))) out[i, j] <- sum((a[i, ] - b[j, ])^2)
  out
}

ref_kernel <- function(a, b, kernel, gamma, degree = 3, coef0 = 0) {
  switch(kernel,
    radial = exp(-gamma * ref_distance2(a, b)),
    polynomial = (gamma * a %*% t(b) + coef0)^degree,
    linear = a %*% t(b)
  )
}

# ---- partition: farthest-first traversal and nearest center ----------------------------------

ref_cover <- function(x, first, radius = 0, cells = Inf) {
  centers <- first
  repeat {
    delta <- apply(ref_distance2(x, x[centers, , drop = FALSE]), 1, min)
    if (max(delta) <= radius^2 || length(centers) >= cells) break
    centers <- c(centers, which.max(delta))
  }
  centers
}

ref_assign <- function(x, centers) {
  distance <- ref_distance2(x, centers)
  cell <- integer(nrow(x))
  for (i in seq_len(nrow(x))) cell[i] <- which.min(distance[i, ])
  cell
}

ref_partition <- function(x, options) {
  n <- nrow(x)
  if (options$type == "none") {
    return(list(cell = rep(1L, n), centers = integer(), cell_of_center = integer(), radius = NA))
  }
  if (options$type == "random") {
    cell <- rep_len(seq_len(options$cells), n)
    return(list(cell = cell, centers = integer(), cell_of_center = integer(), radius = NA))
  }
  first <- if (is.null(options$first)) 1L else options$first
  cells <- if (is.null(options$cells)) Inf else options$cells
  radius <- if (is.null(options$radius)) 0 else options$radius
  if (options$type == "bounded") cells <- ceiling(2 * n / options$max_cell)
  centers <- ref_cover(x, first, radius, cells)
  cell <- ref_assign(x, x[centers, , drop = FALSE])
  farthest <- max(apply(ref_distance2(x, x[centers, , drop = FALSE]), 1, min))
  list(cell = cell, centers = centers, cell_of_center = seq_along(centers), radius = sqrt(farthest))
}

# The rows of other cells nearest to the planes between their region and a region of the cell.
ref_margins <- function(x, part, overlap) {
  centers <- x[part$centers, , drop = FALSE]
  d2 <- ref_distance2(x, centers)
  between <- sqrt(ref_distance2(centers, centers))
  region <- apply(d2, 1, which.min)
  lapply(seq_len(max(part$cell)), function(j) {
    outside <- which(part$cell != j)
    to_plane <- vapply(outside, function(i) {
      a <- which(part$cell_of_center == j)
      min((d2[i, a] - d2[i, region[i]]) / (2 * between[a, region[i]]))
    }, 0)
    wanted <- floor(overlap * sum(part$cell == j) + 0.5)
    sort(outside[order(to_plane)][seq_len(min(wanted, length(outside)))])
  })
}

# ---- fit: every fold, width and penalty by a dense solve -------------------------------------

# a minimises lambda |f|^2 + sum w_i (y_i - f(x_i))^2 / sum w_i with f = sum a_i k(x_i, .).
ref_solve <- function(k, y, w, lambda) {
  solve(w * k + sum(w) * lambda * diag(nrow(k)), w * y)
}

ref_default_grid <- function(x) {
  n <- nrow(x)
  varying <- sum(apply(x, 2, function(v) max(v) > min(v)))
  width <- exp(seq(log(10), log(0.5 * n^(-1 / max(varying, 1))), length.out = 10))
  list(gamma = 1 / width^2, lambda = exp(seq(log(0.1), log(0.001 / n), length.out = 10)))
}

ref_clip <- function(f, clip) if (is.null(clip)) f else pmin(pmax(f, clip[1]), clip[2])

# Out-of-fold decision values at one pair.
ref_held_out <- function(k, y, w, fold, lambda) {
  out <- matrix(NA_real_, nrow(y), ncol(y))
  for (v in setdiff(unique(fold), 0)) {
    train <- which(fold != v)
    test <- which(fold == v)
    a <- ref_solve(k[train, train, drop = FALSE], y[train, , drop = FALSE], w[train], lambda)
    out[test, ] <- k[test, train, drop = FALSE] %*% a
  }
  out
}

ref_risk <- function(held_out, y, w, clip) {
  rows <- which(!is.na(held_out[, 1]))
  loss <- (y[rows, , drop = FALSE] - ref_clip(held_out[rows, , drop = FALSE], clip))^2
  sum(w[rows] * rowMeans(loss)) / sum(w[rows])
}

ref_average <- function(k, y, w, fold, lambda) {
  total <- matrix(0, nrow(y), ncol(y))
  folds <- setdiff(unique(fold), 0)
  for (v in folds) {
    train <- which(fold != v)
    total[train, ] <- total[train, ] +
      ref_solve(k[train, train, drop = FALSE], y[train, , drop = FALSE], w[train], lambda)
  }
  total / length(folds)
}

ref_cell_grid <- function(x, options) {
  grid <- ref_default_grid(x)
  if (!is.null(options$gamma)) grid$gamma <- options$gamma
  if (!is.null(options$lambda)) grid$lambda <- options$lambda
  if (!is.null(options$cost)) grid$lambda <- 1 / (2 * options$cost * nrow(x))
  grid
}

# One cell. `fold` comes from outside, so that the core's folds can be used.
ref_fit_cell <- function(x, y, w, fold, options) {
  grid <- ref_cell_grid(x, options)
  kernel <- function(gamma) ref_kernel(x, x, options$kernel, gamma, options$degree, options$coef0)
  risk <- matrix(NA_real_, length(grid$gamma), length(grid$lambda))
  if (any(fold > 0)) {
    for (g in seq_along(grid$gamma)) for (l in seq_along(grid$lambda)) {
      held_out <- ref_held_out(kernel(grid$gamma[g]), y, w, fold, grid$lambda[l])
      risk[g, l] <- ref_risk(held_out, y, w, options$clip)
    }
  }
  best <- if (any(fold > 0)) arrayInd(which.min(risk), dim(risk)) else c(1, 1)
  gamma <- grid$gamma[best[1]]
  lambda <- grid$lambda[best[2]]
  k <- kernel(gamma)
  average <- options$final == "average" && any(fold > 0)
  coef <- if (average) ref_average(k, y, w, fold, lambda) else ref_solve(k, y, w, lambda)
  list(gamma = gamma, lambda = lambda, grid = grid, risk = risk, coef = coef, fitted = k %*% coef,
       held_out = ref_held_out(k, y, w, fold, lambda), best = risk[best[1], best[2]])
}

ref_folds <- function(strata, cell, folds) {
  fold <- integer(length(cell))
  if (folds < 2) return(fold)
  for (j in unique(cell)) {
    rows <- which(cell == j)
    rows <- rows[order(strata[rows])]
    fold[rows] <- rep_len(seq_len(min(folds, length(rows))), length(rows))
  }
  fold
}

ref_vp_fit <- function(x, y, w, strata, cell, options, fold = NULL) {
  if (is.null(fold)) fold <- ref_folds(strata, cell, options$folds)
  rows <- lapply(seq_len(max(cell)), function(j) which(cell == j))
  fits <- lapply(rows, function(i) {
    ref_fit_cell(x[i, , drop = FALSE], y[i, , drop = FALSE], w[i], fold[i], options)
  })
  m <- length(fits)
  index <- unlist(rows)
  in_order <- function(name) do.call(rbind, lapply(fits, `[[`, name))[order(index), , drop = FALSE]
  list(
    index = index, offset = c(0L, cumsum(lengths(rows))),
    coef = do.call(rbind, lapply(fits, `[[`, "coef")), intercept = matrix(0, m, ncol(y)),
    gamma = vapply(fits, `[[`, 0, "gamma"), lambda = vapply(fits, `[[`, 0, "lambda"),
    cv_risk = vapply(fits, `[[`, 0, "best"),
    grid_gamma = lapply(fits, function(f) f$grid$gamma),
    grid_lambda = lapply(fits, function(f) f$grid$lambda),
    risk = lapply(fits, `[[`, "risk"), settled = lapply(fits, function(f) !is.na(f$risk)),
    cv_decision = in_order("held_out"), fold = fold, fitted = in_order("fitted"),
    converged = rep(TRUE, m), iterations = rep(1L, m), threads = 1L,
    seconds = c(search = 0, solve = 0), bytes = 8 * max(tabulate(cell))^2
  )
}

# ---- prediction ------------------------------------------------------------------------------

ref_cell_decision <- function(x, model, j) {
  rows <- seq_len(model$offset[j + 1] - model$offset[j]) + model$offset[j]
  k <- ref_kernel(x, model$sv[rows, , drop = FALSE], model$kernel, model$gamma[j], model$degree,
                  model$coef0)
  k %*% model$coef[rows, , drop = FALSE] + rep(model$intercept[j, ], each = nrow(x))
}

ref_vp_predict <- function(x, model, options = NULL) {
  m <- length(model$gamma)
  each <- lapply(seq_len(m), function(j) ref_cell_decision(x, model, j))
  if (model$type != "voronoi") return(Reduce(`+`, each) / m)
  cell <- model$cell_of_center[ref_assign(x, model$centers)]
  out <- matrix(0, nrow(x), ncol(model$coef))
  for (i in seq_len(nrow(x))) out[i, ] <- each[[cell[i]]][i, ]
  out
}

# ---- dual min-max width ----------------------------------------------------------------------

# D, d and gamma by loops over the classes of the dense distance matrix.
ref_dmm <- function(x, y, distance, lambda = 0.5, all = sqrt(ref_distance2(x, x))) {
  y <- droplevels(y)
  rows <- split(seq_along(y), y)
  diameter <- max(vapply(rows, function(i) max(all[i, i]), 0))
  d <- ref_separation(all, x, y, rows, distance)
  reach <- if (diameter > 0) diameter else d
  list(D = diameter, d = d, gamma = sqrt((1 - lambda) / lambda) / (reach * d))
}

ref_separation <- function(all, x, y, rows, distance) {
  pairs <- utils::combn(names(rows), 2)
  between <- function(f) {
    apply(pairs, 2, function(p) f(all[rows[[p[1]]], rows[[p[2]]]]))
  }
  positive <- function(v) if (any(v > 0)) min(v[v > 0]) else NA
  nearest <- vapply(seq_along(y), function(i) min(all[i, y != y[i]]), 0)
  if (all(nearest == 0)) {
    nearest <- vapply(seq_along(y), function(i) positive(all[i, y != y[i]]), 0)
  }
  nearest <- nearest[!is.na(nearest) & nearest > 0]
  means <- vapply(rows, function(i) colMeans(x[i, , drop = FALSE]), numeric(ncol(x)))
  switch(distance,
    nn = mean(nearest),
    pair_min = mean(between(positive), na.rm = TRUE),
    min = min(between(positive), na.rm = TRUE),
    pair_mean = mean(between(mean)),
    centroid = mean(stats::dist(t(matrix(means, ncol(x)))))
  )
}
