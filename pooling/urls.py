from django.urls import path

from pooling import views

urlpatterns = [
    path("c/<slug:slug>/pools/", views.pools, name="pools"),
    path("c/<slug:slug>/pools/build/", views.build, name="build-pools"),
    path("c/<slug:slug>/pools/<int:pk>/", views.pool, name="pool"),
    path("c/<slug:slug>/pools/sets/<int:pk>/", views.pool_set, name="pool-set"),
    path("c/<slug:slug>/pools/sets/<int:pk>/manifest/", views.manifest, name="pool-manifest"),
    path("c/<slug:slug>/pools/sets/<int:pk>/freeze/", views.freeze, name="freeze-pools"),
    path("c/<slug:slug>/pools/sets/<int:pk>/discard/", views.discard, name="discard-pools"),
]
