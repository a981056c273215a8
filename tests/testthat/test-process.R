# What only a process of its own can show.

# The limit is patient, since other processes may be at work; the code itself would take minutes.
patience <- 5

interrupted <- list(
  "the search of a large cell" = quote(
    vpsvm(y ~ ., two_classes(20000), partition = "none", memory = 8e9)
  ),
  "the search of many cells" = quote(vpsvm(y ~ ., two_classes(50000), max.cell = 1500)),
  "factorisations" = quote(
    vpsvm(y ~ ., two_classes(6000), max.cell = 1e6, gamma = 1e-3, lambda = 10^-(6:12))
  ),
  "a fit with one thread" = quote(
    vpsvm(y ~ ., two_classes(20000), partition = "none", memory = 8e9, threads = 1)
  ),
  "the partition" = quote(vpsvm(y ~ ., two_classes(2e5), radius = 0.002, gamma = 1, lambda = 1)),
  "learning weights by Adam" = quote(
    hgsvm(y ~ ., two_classes(8000), "inhomogeneous", steps = 1e7, patience = 1e7)
  ),
  "learning weights by L-BFGS" = quote(
    hgsvm(y ~ ., two_classes(8000), "inhomogeneous", "lbfgs", rounds = 1e6, patience = 1e7)
  ),
  "annealing" = quote(hgsvm(y ~ ., two_classes(8000), "inhomogeneous", "anneal", anneal = 1e9)),
  "prediction" = quote(predict(model, new)),
  "prediction in blocks" = quote(predict(model, new, memory = 1e7)),
  "the width of classes" = quote({
    set.seed(1)
    gamma_dmm(matrix(runif(1e7), 1e5), gl(2, 5e4))
  }),
  "the median of distances" = quote(gamma_median(matrix(1 / 1:6e7, 2000))),
  "subspaces" = quote(kos(y ~ ., two_classes(1e5), gamma = 1, folds = 5)),
  "importance()" = quote(importance(model, new[1:2000, ], rep("low", 2000), nperm = 1e5)),
  "tuning" = quote(
    for (i in 1:1e5) e1071::tune(vpsvm, y ~ ., data = two_classes(100), ranges = list(gamma = 1:3))
  )
)

for (task in names(interrupted)) {
  test_that(paste0("D44, D45: an interrupt stops ", task, ", and the next call works"), {
    if (task == "tuning") skip_if_not_installed("e1071")
    seconds <- in_child(
      {
        model <- vpsvm(y ~ ., two_classes(4000), gamma = 1, lambda = 1e-3)
        new <- as.matrix(two_classes(1e6)[-1])
        seconds <- seconds_to_stop(eval(task))
        stopifnot(length(predict(vpsvm(y ~ ., two_classes(), seed = 1), two_classes())) == 40)
        seconds
      },
      list(task = interrupted[[task]])
    )
    expect_lt(seconds, patience)
  })
}

test_that("D44: a time limit stops a fit, whose memory is given back", {
  skip_without_proc()
  bytes <- in_child({
    d <- two_classes(10000)
    before <- resident_bytes()
    setTimeLimit(elapsed = 3)
    stopped <- tryCatch(vpsvm(y ~ ., d, partition = "none", memory = 4e9), error = identity)
    setTimeLimit()
    stopifnot(inherits(stopped, "error"), grepl("time limit", conditionMessage(stopped)))
    stopifnot(length(predict(vpsvm(y ~ ., d[1:40, ], seed = 1), d[1:40, ])) == 40)
    c(peak = process_bytes("VmHWM"), after = resident_bytes()) - before
  })
  expect_gt(bytes[["peak"]], 3e8)
  expect_lt(bytes[["after"]], 5e7)
})

test_that("D46, D59: progress comes at most once a second, with what is done and what remains", {
  said <- in_child({
    said <- character()
    times <- numeric()
    setTimeLimit(elapsed = 8)
    try(silent = TRUE, withCallingHandlers(
      vpsvm(y ~ ., two_classes(20000), max.cell = 5000, verbose = TRUE),
      message = function(m) {
        said <<- c(said, conditionMessage(m))
        times <<- c(times, proc.time()[["elapsed"]])
        invokeRestart("muffleMessage")
      }
    ))
    setTimeLimit()
    list(said = said, times = times)
  })
  expect_gt(length(said$said), 1)
  expect_match(said$said, "^flexkern: .*, [0-9]+%", all = FALSE)
  expect_match(said$said, "fit, [0-9]+ cells, [0-9.]+ .B of memory, .*about [0-9]+ s left",
               all = FALSE)
  expect_gt(min(diff(said$times)), 0.9)
})

test_that("D46: learning says which architecture it is at, what is done and what remains", {
  said <- in_child({
    said <- character()
    setTimeLimit(elapsed = 4)
    try(silent = TRUE, withCallingHandlers(
      hgsvm(y ~ ., two_classes(500), list(hg_inhomogeneous(3), hg_kernel(1:2)), steps = 1e5,
            patience = 1e7, verbose = TRUE),
      message = function(m) {
        said <<- c(said, conditionMessage(m))
        invokeRestart("muffleMessage")
      }
    ))
    setTimeLimit()
    said
  })
  expect_match(said, paste0("^flexkern: architecture 1, fold 1 of 5, weights, [0-9]+% done, ",
                            "about [0-9]+ s left"), all = FALSE)
})

test_that("D60: learning weights keeps to its memory budget at its peak", {
  skip_without_proc()
  for (optimizer in c("adam", "anneal")) {
    used <- in_child({
      d <- two_classes(3000)
      own <- if (optimizer == "adam") list(steps = 1) else list(cycles = 1, anneal = 3, descent = 1)
      peak_bytes(do.call(hgsvm, c(list(d[-1], d$y, hg_kernel(list(1, 2, 3)), optimizer, rounds = 1,
                                       gamma = 1, lambda = 1e-2, max.cell = 900, memory = 6.8e7),
                                  own)))
    }, list(optimizer = optimizer))
    expect_lt(used, 6.8e7 + 3e7)
  }
})

test_that("D60: a large cell holds as much of its Gram matrix as fits the budget", {
  skip_without_proc()
  bytes <- in_child({
    d <- two_classes(8000)
    fit <- function(memory) vpsvm(y ~ ., d, partition = "none", gamma = 1, lambda = 1e-3,
                                  search.rows = 1000, memory = memory)
    tight <- NULL
    peak <- peak_bytes(tight <- fit(1e8))
    ample <- fit(1e9)
    stopifnot(identical(predict(tight, d), predict(ample, d)))
    c(peak = peak, tight = tight$bytes, ample = ample$bytes)
  })
  expect_lte(bytes[["tight"]], 1e8)
  expect_gt(bytes[["ample"]], 2 * 8000^2)
  expect_lt(bytes[["peak"]], 1.3e8)
})

test_that("D60: a fit keeps to its memory budget at its peak", {
  skip_without_proc()
  used <- in_child({
    d <- two_classes(10000)
    peak_bytes(vpsvm(y ~ ., d, max.cell = 10000, search.rows = 10000, gamma = 1, lambda = 1e-3,
                     memory = 1e9))
  })
  expect_gt(used, 5e8)
  expect_lt(used, 1e9 + 5e7)
  cells <- in_child({
    d <- two_classes(6000)
    peak_bytes(vpsvm(y ~ ., d, max.cell = 1300, gamma = 1:2, lambda = c(1e-3, 1e-6), seed = 1,
                     memory = 6e7))
  })
  expect_lt(cells, 6e7 + 5e7)
})

test_that("D56, D58: prediction of a million rows keeps to a few times their size", {
  skip_without_proc()
  used <- in_child({
    x <- matrix(runif(1000), 200)
    model <- vpsvm(x, x[, 1] + x[, 2], gamma = 1, lambda = 0.01)
    new <- matrix(runif(5e6), 1e6)
    peak_bytes(predict(model, new, memory = 1e8))
  })
  expect_lt(used, 6 * 8 * 5e6 + 1e8)
})

test_that("D78: ten fits and predictions in a row leave no memory behind", {
  skip_without_proc()
  held <- in_child({
    d <- two_classes(1500)
    held <- numeric()
    for (i in 1:10) {
      predict(vpsvm(y ~ ., d, max.cell = 700, seed = i, probability = TRUE), d, type = "prob")
      held[i] <- resident_bytes()
    }
    held
  })
  expect_lt(held[10], 1.05 * held[2])
})

test_that("a fit, an interrupt, a fork and a fit again in one session", {
  skip_on_os("windows")
  answers <- in_child({
    d <- two_classes(400)
    work <- function(...) predict(vpsvm(y ~ ., d, seed = 1, threads = 2), d, type = "decision")
    first <- work()
    seconds <- seconds_to_stop(
      vpsvm(y ~ ., two_classes(20000), partition = "none", memory = 8e9, threads = 2)
    )
    forked <- parallel::mclapply(1:2, work, mc.cores = 2)
    list(first = first, forked = forked, last = work(), seconds = seconds)
  })
  expect_lt(answers$seconds, patience)
  expect_identical(answers$forked, list(answers$first, answers$first))
  expect_identical(answers$last, answers$first)
})
