# What rmekl() and its family do at their limits: interrupts, memory, extreme penalties.

# A normal fit would take minutes; the limit is patient, since other processes may be at work.
patience <- 5

long <- list(
  "the search of rmekl()" = quote(rmekl(y ~ ., d, memory = 8e9)),
  "eigenvectors" = quote(rmekl(y ~ ., d, c = 1, lambda = 1, basis = "full", memory = 8e9)),
  "random descending" = quote(
    rmekl(y ~ ., d, "radial", c = 1, basis = "random", memory = 8e9)
  ),
  "the quadratic program of svm2k()" = quote(
    svm2k(y ~ ., d, list(list("radial", gamma = 50), "radial"), cost = 1, D = 1, memory = 8e9)
  )
)

for (task in names(long)) for (threads in 1:2) {
  test_that(paste0("D44, D45: an interrupt stops ", task, " with ", threads, " thread(s)"), {
    seconds <- in_child(
      {
        d <- cbind(two_classes(4000), e = rnorm(4000), f = rnorm(4000))
        options(flexkern.threads = threads)
        seconds <- seconds_to_stop(eval(task))
        stopifnot(length(fitted(rmekl(y ~ ., d[1:40, ], c = 1, lambda = 1))) == 40)
        seconds
      },
      list(task = long[[task]], threads = threads)
    )
    expect_lt(seconds, patience)
  })
}

# The least budget that a call is accepted with, and what it takes.
budget_and_peak <- function(task) {
  in_child(
    {
      d <- cbind(two_classes(900), e = rnorm(900), f = rnorm(900))
      options(flexkern.threads = 2)
      refused <- tryCatch(eval(task, list(d = d, memory = 1)), flexkern_error = conditionMessage)
      words <- regmatches(refused, regexec("need ([0-9.]+) (.B) of memory", refused))[[1]]
      bytes <- as.numeric(words[2]) * c(kB = 1e3, MB = 1e6, GB = 1e9)[[words[3]]]
      c(budget = bytes, peak = peak_bytes(eval(task, list(d = d, memory = 1e10))))
    },
    list(task = task)
  )
}

tasks <- list(
  search = quote(rmekl(y ~ ., d, c = c(0.1, 1), memory = memory, seed = 1)),
  "fixed penalties" = quote(rmekl(y ~ ., d, c = 1, lambda = 1, memory = memory)),
  cholesky = quote(rmekl(y ~ ., d, c = c(0.1, 1), basis = "cholesky", max.rank = 100,
                         memory = memory, seed = 1)),
  full = quote(kmhks(y ~ ., d, memory = memory, seed = 1)),
  "a function" = quote(rmekl(y ~ ., d, function(a, b) exp(-as.matrix(a %*% t(b))^2), c = 1,
                             memory = memory)),
  svm2k = quote(svm2k(y ~ ., d, list("radial", list("radial", gamma = 2)), cost = c(0.1, 1), D = 1,
                      memory = memory, seed = 1))
)

for (name in names(tasks)) {
  test_that(paste0("D57, D60: the memory that is asked for covers the peak: ", name), {
    skip_without_proc()
    bytes <- budget_and_peak(tasks[[name]])
    expect_lt(bytes[["peak"]], bytes[["budget"]] + 3e7)
    expect_gt(bytes[["peak"]] + 3e7, bytes[["budget"]] / 4)
  })
}

test_that("D57: a function is not called where its Gram matrix would not fit", {
  called <- FALSE
  f <- function(a, b) {
    called <<- TRUE
    a %*% t(b)
  }
  d <- two_classes(400)
  expect_flexkern_error(rmekl(y ~ ., d, f, c = 1, memory = 1e6), "raise `memory`")
  expect_false(called)
})

test_that("D46, D59: progress names the machines and the memory", {
  said <- character()
  withCallingHandlers(
    rmekl(y ~ ., two_classes(900), c = 2^(-4:4), lambda = 2^(-4:4), verbose = TRUE, threads = 1),
    message = function(m) {
      said <<- c(said, conditionMessage(m))
      invokeRestart("muffleMessage")
    }
  )
  if (length(said)) {
    expect_match(said, "fit, 1 machine, at most [0-9.]+ .B of memory", all = FALSE)
  }
})

test_that("penalties that no double can hold are refused in our words, and lose a search", {
  d <- two_classes()
  expect_flexkern_error(rmekl(y ~ ., d, c = 1e-100, lambda = 1e100), "high/low overflows with c")
  expect_flexkern_error(rmekl(y ~ ., d, c = 1e20, lambda = 1e100), "and lambda = 1e\\+100")
  m <- rmekl(y ~ ., d, c = c(1e-100, 1), lambda = c(1e100, 1), seed = 1)
  expect_identical(m$machines[c("c", "lambda")], data.frame(c = 1, lambda = 1))
  expect_identical(m$grid[[1]]$loss[1, 1], Inf)
})
